"""The sets, what they become, and what is said of names that no browser knows."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from harness import paths
from harness.categories import category_sets, check, known_categories, read_sets, resolve, set_schema
from harness.errors import CategoryError, ConfigError
from harness.scenario.model import Place
from harness.scenario.nodes import read

SETS = category_sets()
SEEN_156 = [name for name, majors in known_categories().items() if 156 in majors]
SEEN_153 = [name for name, majors in known_categories().items() if 153 in majors]
WANTED = (
    *("blink", "cc", "timeline", "timeline.frame", "timeline.stack", "invalidation-tracking", "layers", "picture"),
    *("blink-debug", "loading", "rail", "input", "benchmark", "v8", "v8-cpu-profiler", "v8-compile", "screenshots"),
    *("user-timing", "gpu", "viz", "toplevel", "devtools-panel", "devtools-selector-stats", "devtools-advanced-paint"),
    *("devtools-show-all-events", "puppeteer", "playwright", "lighthouse"),
)


def test_the_sets_are_there() -> None:
    assert set(WANTED) <= set(SETS)


@pytest.mark.parametrize("entry", SETS.values(), ids=lambda entry: entry.name)
def test_a_set_is_known_to_current_builds(entry: object) -> None:
    check([entry.name], SEEN_156)  # type: ignore[attr-defined]
    check([entry.name], SEEN_153)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SETS)
def test_a_set_named_like_a_category_is_that_category(name: str) -> None:
    """Else the raw name could not be recorded alone."""
    if name in known_categories():
        assert resolve([name]) == [name]


@pytest.mark.parametrize("name", SETS)
def test_the_json_schema_accepts_the_files(name: str) -> None:
    root, _ = read(paths.configs_root() / "categories" / f"{name}.yaml")
    jsonschema.validate(root.plain(), set_schema())


def test_names_compose_in_order_without_doubles() -> None:
    assert resolve(["blink", "timeline", "devtools.timeline", "blink", "my.own"]) == [
        "blink",
        "devtools.timeline",
        "disabled-by-default-devtools.timeline",
        "my.own",
    ]
    panel = resolve(["devtools-panel"])
    assert resolve(["devtools-selector-stats"])[: len(panel)] == panel
    assert resolve(["devtools-show-all-events"]) == [*panel, "*"]


def test_patterns_are_written_out_because_chrome_does_not() -> None:
    disabled = ["disabled-by-default-v8.gc", "disabled-by-default-v8.gc_stats"]
    known = ["v8", "v8.execute", *disabled, "cc"]
    assert resolve(["disabled-by-default-v8*"], known) == disabled
    assert resolve(["v8*"], known) == ["v8", "v8.execute"]
    assert resolve(["*", "-*"], known) == ["*", "-*"]
    check(["v8*", "*", "-*", "disabled-by-default-*"], known)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("devtools.timelin", 'did you mean "devtools.timeline"?'),
        ("Blink", 'did you mean "blink"?'),
        ("v8.gc", 'did you mean "disabled-by-default-v8.gc"?'),
        ("blink devtools.timeline", "these are 2 names in one text: write [blink, devtools.timeline]"),
        ("blink,cc", "these are 2 names in one text: write [blink, cc]"),
        ("blinkdevtools.timeline", "a comma seems to be missing: write [blink, devtools.timeline]"),
        ("time-line", 'did you mean "timeline"?'),
        ("qqqqqqqqqqqq", "`traceproof categories` shows the sets and the categories"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(name: str, remedy: str) -> None:
    at = Place("x.scenario.yaml", 4, 9, "$.record.categories")
    with pytest.raises(CategoryError) as caught:
        check(["blink", name], SEEN_156, at=at)
    (problem,) = caught.value.problems
    assert (problem.remedy, problem.line, problem.file) == (remedy, 4, "x.scenario.yaml")


def test_what_only_a_tool_sends_is_forgiven_in_its_set_alone() -> None:
    check(["lighthouse"], SEEN_156)
    with pytest.raises(CategoryError):
        check(["disabled-by-default-lighthouse"], SEEN_156)


def test_a_category_of_a_later_build_is_unknown_to_an_earlier_one() -> None:
    check(["disabled-by-default-v8.gc_extra"], SEEN_156)
    with pytest.raises(CategoryError):
        check(["disabled-by-default-v8.gc_extra"], SEEN_153)


@pytest.mark.parametrize("silence", [None, []])
def test_a_browser_that_does_not_answer_is_judged_by_what_was_ever_seen(silence: list[str] | None) -> None:
    check(["timeline", "disabled-by-default-v8.gc_extra"], silence)
    with pytest.raises(CategoryError, match="were ever seen"):
        check(["devtools.timelin"], silence)
    with pytest.raises(CategoryError):
        check(["blink"], silence, fallback=["cc"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: other\ntitle: a\nfor: b\ncategories: [cc]\nsource: c\n", "is in a file of another name"),
        ("name: mine\ntitle: a\nfor: b\ncategories: []\nsource: c\n", "with at least one part"),
        (
            "name: mine\ntitle: a\nfor: b\ncategories: [cc]\nsource: c\nincludes: [no]\n",
            'there is no set "no"',
        ),
        ("name: mine\ntitle: a\ncategories: [cc gpu]\nsource: c\n", "2 names in one text"),
    ],
)
def test_mistakes_in_a_set(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_sets(tmp_path)
