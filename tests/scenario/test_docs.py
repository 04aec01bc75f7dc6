"""`docs/scenarios.md` says nothing that the loader does not do: its examples load, and it knows every key."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import harness.scenario.lint  # noqa: F401  the package gives its function the name of the module
from harness.scenario import claims_schema, json_schema, load_file, survey
from harness.scenario.model import Claim
from tests.scenario.conftest import NOWHERE, plain

RULES_OF = "harness.scenario.lint"
lint_rules = sys.modules[RULES_OF]
DOCS = Path(__file__).parents[2] / "docs" / "scenarios.md"
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
SCENARIO = jsonschema.Draft202012Validator(json_schema())
BASE = {
    "scenario": "scenario: an-event.an-example\n",
    "title": "title: An example\n",
    "claims": "claims: [an-event.a-claim]\n",
    "record": "record: {categories: [timeline]}\n",
    "fixture": "fixture: page.html\n",
    "steps": 'steps:\n  - goto: "${fixture.url}"\n',
    "select": "select:\n  all: {on: page}\n",
    "expect": 'expect:\n  - count: {of: all, is: ">= 1"}\n',
}


def _sections(text: str) -> dict[str, str]:
    parts = re.split(r"^(?=[a-z_]+:)", text, flags=re.MULTILINE)
    return {part.split(":")[0]: part for part in parts if part.strip()}


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.splitlines()[0][:40])
def test_example_loads(text: str, tmp_path: Path) -> None:
    if text.startswith("event:"):
        path = tmp_path / "claims.yaml"
        path.write_text(text, encoding="utf-8")
        assert load_claims_of(path)
        return
    whole = "".join({**BASE, **_sections(text)}.values())
    for fixture in re.findall(r"^fixture: (\S+)", whole, re.MULTILINE):
        page = tmp_path / "pages" / fixture
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("<!doctype html>", encoding="utf-8")
    path = tmp_path / "example.scenario.yaml"
    path.write_text(whole, encoding="utf-8")
    claims = {name: Claim(name, "x", "says", "refuted", NOWHERE) for name in plain(path)["claims"]}
    assert load_file(path, claims, [tmp_path / "pages"])
    SCENARIO.validate(plain(path))


def load_claims_of(path: Path) -> Any:
    loaded = survey(path.parent)
    assert not loaded.problems
    jsonschema.validate(plain(path), claims_schema())
    return loaded.claims


def _words(schema: Any) -> Iterator[str]:
    """Every key and every fixed word of a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (word for word in schema.get("enum", []) if isinstance(word, str))
        for part in schema.values():
            yield from _words(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _words(part)


@pytest.mark.parametrize("schema", [json_schema(), claims_schema()], ids=["scenario", "claims"])
def test_every_word_is_mentioned(schema: dict[str, Any]) -> None:
    text = DOCS.read_text(encoding="utf-8")
    mentioned = {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.split(r"[^\w.-]+", code)}
    assert sorted(set(_words(schema)) - mentioned) == []


RULES = re.findall(
    r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", DOCS.read_text(encoding="utf-8").partition("by rule:")[2], re.MULTILINE
)


def test_every_rule_of_lint_is_listed() -> None:
    public = {name for name, one in vars(lint_rules).items() if inspect.isfunction(one) and one.__module__ == RULES_OF}
    assert {name for name, _, _ in RULES} == {name for name in public if not name.startswith("_")} - {"lint"}


@pytest.mark.parametrize(("rule", "example", "told"), [row for row in RULES if row[1].startswith(("`count", "`each"))])
def test_the_example_of_a_rule_breaks_it(rule: str, example: str, told: str, tmp_path: Path) -> None:
    whole = {
        **BASE,
        "fixture": "",
        "steps": "steps: [{settle: 1ms}]\n",
        "expect": f"expect:\n  - {example.strip('`')}\n",
    }
    path = tmp_path / "example.scenario.yaml"
    path.write_text("".join(whole.values()), encoding="utf-8")
    (case,) = load_file(path, {"an-event.a-claim": Claim("an-event.a-claim", "x", "says", "refuted", NOWHERE)})
    assert [problem.message for problem in getattr(lint_rules, rule)(case)] == [told]
