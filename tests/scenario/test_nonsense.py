"""Whatever stands where in a scenario, the answer is cases or problems with places, never another exception."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ScenarioError
from harness.scenario import load_file
from tests.scenario.conftest import CLAIMS, PAGES

RICH: dict[str, Any] = {
    "scenario": "parse-html.rich",
    "title": "Everything at once",
    "claims": ["parse-html.one", "parse-html.two"],
    "versions": ">=111",
    "modes": ["shell"],
    "reason": "why",
    "needs": ["cores-2"],
    "timeout": "20s",
    "matrix": {"n": [1, "x"], "m": [True, None]},
    "let": {"wait": "3ms", "there": "${server.a}/${n}"},
    "record": {"categories": ["timeline"], "buffer": "1MiB"},
    "browser": {"window": [800, 600]},
    "fixture": "page.html",
    "design": {"paired": "alternating", "blocks": 2},
    "arms": {"a": {"let": {"k": 1}}, "b": {"let": {"k": 2}, "record": {"recorder": "cdp-page"}}},
    "steps": [
        {"goto": "${there}?m=${m}&k=${k}", "until": "none"},
        {"mark": "one"},
        {"call": "f", "args": [1, {"x": "${n}"}], "as": "rows"},
        {"settle": "${wait}"},
        {"emulate": {"touch": True}},
        "reload",
        {"mark": "two"},
    ],
    "select": {
        "p": {"name": "ParseHTML", "on": "page.main", "during": "one..two", "where": {"args.x": {"compare": "> 1"}}},
        "q": {"of": "p@a", "take": "first"},
        "g": {"gaps_of": "p", "by": ["tid"]},
    },
    "require": [{"count": {"of": "g", "is": 1}, "arm": "a"}],
    "expect": [
        {
            "claim": "parse-html.one",
            "none": {"of": "p", "inside": "q"},
            "control": {"count": {"of": "p", "is": 1}},
            "arms": "all",
        },
        {
            "claim": "parse-html.two",
            "compare": {"left": {"sum": "dur", "of": "p@a"}, "right": {"value": "rows.n", "arm": "b"}, "ratio": 1},
        },
        {"claims": ["parse-html.two"], "query": "select 1 from p", "rows": "none", "over": "q@a", "arm": "b"},
        {"claim": "parse-html.two", "join": {"left": "p@a", "right": "p@b", "on": ["tid"], "pairs": ["ts <= ts"]}},
    ],
}
STRANGE = [None, True, 0, -1, 1.5, "", " ", "${", "${x}", "${values.rows}", "*", "a..b", [], {}, [[]], [None], {"x": 1}]


def _spots(value: Any, trail: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [spot for key in keys for spot in [(*trail, key), *_spots(value[key], (*trail, key))]]


def _changed(seed: int) -> Any:
    rng = random.Random(seed)
    tree = copy.deepcopy(RICH)
    for _ in range(rng.randint(1, 3)):
        *trail, last = rng.choice(_spots(tree))
        parent = tree
        for key in trail:
            parent = parent[key]
        match rng.randrange(3):
            case 0:
                del parent[last]
            case 1 if isinstance(parent, dict):
                parent[f"{last}s"] = parent.pop(last)
            case _:
                parent[last] = copy.deepcopy(rng.choice(STRANGE))
    return tree


def _load(tree: Any, folder: Path) -> int:
    path = folder / "x.scenario.yaml"
    path.write_text(json.dumps(tree), encoding="utf-8")  # JSON is YAML
    return len(load_file(path, CLAIMS, [PAGES]))


def test_the_rich_scenario_itself_loads(tmp_path: Path) -> None:
    assert _load(RICH, tmp_path) == 4


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_changed_at_random(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 50):
        try:
            _load(_changed(seed), tmp_path)
        except ScenarioError as error:
            assert all(problem.message and problem.line for problem in error.problems), seed


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        ("fixture", "a" * 5000 + ".html"),  # longer than a file's name can be
        ("name_matches", "a{99999999999}"),
        ("name_matches", "(" * 3000 + ")" * 3000),
    ],
)
def test_what_python_itself_gives_up_on(where: str, wrong: str, tmp_path: Path) -> None:
    rich = copy.deepcopy(RICH)
    (rich if where == "fixture" else rich["select"]["p"])[where] = wrong
    path = tmp_path / "x.scenario.yaml"
    path.write_text(json.dumps(rich), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_file(path, CLAIMS, [PAGES])
    assert all(problem.line for problem in caught.value.problems)
