"""configs/builds.yaml: in order, no build twice, honest about what a package is."""

from __future__ import annotations

import itertools

import pytest

from harness.browser.catalogue import Package, catalogue, caveats, packages_for, playwright_from, remarks
from harness.versions import parse_version


def test_the_catalogue_is_sound() -> None:
    versions = [parse_version(one.says) for one in catalogue()]
    assert versions[0][0] == 153
    assert versions == sorted(versions, reverse=True)
    assert len({one.major for one in catalogue()}) == len(versions)
    assert all(one.integrity.startswith("sha512-") and one.name and one.version for one in catalogue())


def test_it_reaches_back_to_64_in_steps_that_find_an_edge() -> None:
    majors = [one.major for one in catalogue()]
    assert min(majors) == 64
    recent = [major for major in majors if major >= 102]
    assert all(above - below <= 7 for above, below in itertools.pairwise(recent))
    assert {110, 111} <= set(majors)


@pytest.mark.parametrize(
    ("words", "majors"),
    [
        ("153", [153]),
        ("105..106", [106, 105]),
        ("<=80", [80, 78, 64]),
        ("83.0", [83]),
        ("89.0.4389.0", [89]),
        ("7", []),
    ],
)
def test_what_a_word_means(words: str, majors: list[int]) -> None:
    assert [one.major for one in packages_for(words)] == majors


def test_all_is_every_package() -> None:
    assert packages_for("all") == list(catalogue())


def test_snapshots_from_before_the_branch_point_are_told() -> None:
    assert any("branch point of 110 (5481)" in said for said in caveats("110.0.5478.0"))
    assert caveats("89.0.4389.0") == []
    assert caveats("153.0.8010.0") == []


def test_what_playwright_cannot_drive_is_told() -> None:
    assert playwright_from() == 83
    assert any("cdp-quiet only" in said for said in caveats("80.0.3987.0"))


def test_a_name_that_lies_is_told() -> None:
    lying = Package("@sparticuz/chromium@103.0.0", "104.0.5112.0", "sha512-x", "a note")
    assert remarks(lying) == ["the package's name says 103", "a note"]
    assert remarks(Package("chrome-aws-lambda@6.0.0", "89.0.4389.0", "sha512-x")) == []  # it names Puppeteer's version
