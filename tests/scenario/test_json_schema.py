"""The JSON Schema says what the loader says: it accepts what loads and refuses what is misspelt."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from harness import paths
from harness.scenario import claims_schema, json_schema
from tests.scenario.conftest import HERE, plain

SCENARIO = jsonschema.Draft202012Validator(json_schema())
CLAIMS = jsonschema.Draft202012Validator(claims_schema())
OURS = sorted(paths.scenarios_root().rglob("*.yaml"))
OF_FORM = (
    *(
        "misspelt-form",
        "misspelt-key",
        "key-one-level-too-high",
        "unknown-verb",
        "verb-without-argument",
        "missing-key",
    ),
    *("missing-key", "duration-without-unit", "two-forms-in-one", "wrong-words", "many-at-once", "list"),
)


def test_the_schemas_are_schemas() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())
    jsonschema.Draft202012Validator.check_schema(claims_schema())


@pytest.mark.parametrize("path", OURS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_accepts_what_is_in_the_repository(path: Path) -> None:
    (CLAIMS if path.name == "claims.yaml" else SCENARIO).validate(plain(path))


@pytest.mark.parametrize("name", OF_FORM)
def test_it_refuses_mistakes_of_form(name: str) -> None:
    assert not SCENARIO.is_valid(plain(HERE / "mistakes" / f"{name}.yaml"))


@pytest.mark.parametrize("value", ["${n}", "${values.x}"])
def test_a_name_may_stand_for_what_is_no_text(value: str) -> None:
    tree = plain(HERE / "mistakes" / "unused-selection.yaml")
    tree["attempts"] = value
    tree["select"]["bursts"]["take"] = value
    SCENARIO.validate(tree)
