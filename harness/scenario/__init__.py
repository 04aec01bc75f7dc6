"""The scenario language: YAML files in, typed cases out. Expectations, steps and recordings are made elsewhere."""

from harness.scenario.claims import ClaimsFile, claims_schema
from harness.scenario.document import json_schema
from harness.scenario.load import Loaded, load_file, load_folder, survey
from harness.scenario.names import RUN_NAMES, fill
from harness.scenario.verbs import VERBS

__all__ = [
    "RUN_NAMES",
    "VERBS",
    "ClaimsFile",
    "Loaded",
    "claims_schema",
    "fill",
    "json_schema",
    "load_file",
    "load_folder",
    "survey",
]
