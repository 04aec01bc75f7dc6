"""The scenario language: YAML files in, typed cases out. Expectations, steps and recordings are made elsewhere."""

from harness.scenario.claims import ClaimsFile, claims_schema
from harness.scenario.coverage import Checklist, Coverage, Tally, claims_coverage, own_checklist
from harness.scenario.document import json_schema
from harness.scenario.lint import lint
from harness.scenario.load import SCENARIO_SUFFIX, Loaded, load_file, load_folder, survey
from harness.scenario.names import RUN_NAMES
from harness.scenario.verbs import VERBS

__all__ = [
    "RUN_NAMES",
    "SCENARIO_SUFFIX",
    "VERBS",
    "Checklist",
    "ClaimsFile",
    "Coverage",
    "Loaded",
    "Tally",
    "claims_coverage",
    "claims_schema",
    "json_schema",
    "lint",
    "load_file",
    "load_folder",
    "own_checklist",
    "survey",
]
