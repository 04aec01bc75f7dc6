"""The evidence as SVG: the same words and signs as the report's timeline, and nothing hostile in it."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest
from click.testing import CliRunner

from harness.browser import Build
from harness.browser.picture import rasterise
from harness.cli import cli
from harness.evidence import Drawing, Highlight, Lane
from harness.evidence.drawing import Window
from harness.report.picture import to_svg
from tests.golden import same_as_golden
from tests.lab import FULL, SHELL, build_at
from tests.report.pages import HOSTILE, changed_report

MARKUP = {"svg", "title", "style", "rect", "line", "path", "text"}


def drawing(name: str = "ParseHTML", arm: str = "main") -> Drawing:
    return Drawing(
        arm=arm,
        block=0,
        attempt=1,
        trace="main.json.gz",
        origin="begin",
        begin=-1_000,
        end=9_000,
        lanes=[
            Lane(kind="thread", process="Renderer 7", name="CrRendererMain", pid=7, tid=7, label="Main", rows=2),
            Lane(kind="async", process="Renderer 7", name="Load", pid=7),
        ],
        lane=[0, 0, 0, 0, 1],
        row=[0, 1, 1, 1, 0],
        ts=[0, 500, 4_000, 5_000, 1_000],
        dur=[6_000, 2_000, 900, 0, 7_000],
        kind="sssia",
        name=[0, 1, 1, 1, 2],
        args=[0, 0, 0, 0, 0],
        seq=[1, 2, 3, 4, 5],
        names=["RunTask", name, "Load"],
        texts=[""],
        flows=[1, 2, 1],
        marks=[("begin", 0), ("done", 8_000)],
        windows=[Window(name="begin..done", begin=0, end=8_000)],
        frames=[100, 3_000],
        highlights=[
            Highlight(finding=0, role="selected", label="parsed", at=[1, 3]),
            Highlight(finding=1, role="missed", label="", at=[2], notes=["missed: dur"]),
        ],
        present=25,
        longest_left_out=40,
        total=100,
    )


def test_a_picture() -> None:
    same_as_golden(Path(__file__).with_name("golden") / "evidence.svg", to_svg([drawing()], title="parse-html.one"))


def test_arms_stand_one_above_the_other_each_with_its_marks() -> None:
    other = msgspec.structs.replace(drawing(arm="tracking"), marks=[("begin", 0), ("later", 5_000)])
    texts = {
        one.text: float(one.get("y", 0))
        for one in ET.fromstring(to_svg([drawing(arm="plain"), other], title="t")).iter()
        if one.text
    }
    assert texts["plain"] < texts["tracking"]
    assert texts["done"] < texts["plain"]
    assert texts["later"] == pytest.approx(texts["tracking"], abs=3)


def test_one_expectation_alone() -> None:
    told = to_svg([drawing()], title="t", finding=1)
    assert (told.count('class="missed"'), told.count('class="selected"')) == (1, 0)


def test_names_of_a_trace_are_text() -> None:
    root = ET.fromstring(to_svg([drawing(HOSTILE + "\x00\ud800")], title=HOSTILE))
    assert {one.tag.partition("}")[2] for one in root.iter()} <= MARKUP
    assert HOSTILE in (root.findtext("{http://www.w3.org/2000/svg}title") or "")


@pytest.mark.parametrize("name", ["x.svg", "x.gif"])
def test_the_command(tmp_path: Path, name: str) -> None:
    changed_report(tmp_path)
    (attempt,) = (tmp_path / "new").glob("recordings/*/*/1")
    scenario = str(tmp_path / "parsing" / "one.scenario.yaml")
    target = tmp_path / name
    said = CliRunner().invoke(cli, ["draw", str(attempt), scenario, "-o", str(target), "--expectation", "2"])
    if name.endswith("svg"):
        assert said.exit_code == 0, said.output
        assert "parsing.one on 156.0.1.2 shell" in target.read_text()
        assert target.read_text().count('class="selected"') == 2
    else:
        assert "ends in .svg or .png" in str(said.exception)


@pytest.mark.browser
def test_as_png_by_a_browser() -> None:
    build: Build = build_at(SHELL if Path(SHELL).exists() else FULL)
    svg = to_svg([drawing()], title="t", width=400)
    size = re.search(r'height="(\d+)"', svg)
    assert size is not None
    png = rasterise(svg, 400, int(size[1]), build)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20], "big") == 800  # two device pixels for each
