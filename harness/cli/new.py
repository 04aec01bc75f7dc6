"""`traceproof new`: a scenario of one's own that runs at once."""

from __future__ import annotations

import re
from pathlib import Path

import click

from harness.cli.shared import example
from harness.errors import Problem, StoreError, UsageError

_CLAIMS = """\
# What is claimed, in your own words. A scenario names the claims that it decides.
event: ParseHTML and UpdateLayoutTree   # what the claims below are about: the head of their group in reports
slug: {slug}                        # the first part of each id
claims:
  - id: {slug}.parses-html
    says: Loading a page with markup writes at least one ParseHTML event on the page's main thread.
    refuted_by: A recording of a page load in which the page's main thread wrote no ParseHTML.
  - id: {slug}.one-style-pass-per-change
    says: A style change that is followed by a frame writes exactly one UpdateLayoutTree.
    refuted_by: A recording in which one change and one frame wrote none, or more than one.
"""
_SCENARIO = """\
# Run it:    traceproof run ./{slug}
# Check it:  traceproof lint ./{slug}
scenario: {slug}.first
title: A page load parses markup, and one style change is one style pass
claims: [{slug}.parses-html, {slug}.one-style-pass-per-change]

record:
  categories: [timeline, blink]     # `traceproof categories` shows the sets; raw category names work too

fixture: page.html                  # beside this file

steps:
  - goto: "${{fixture.url}}"
  - settle: 300ms                   # a plain wait: nothing polls inside the page
  - mark: change                    # a named moment, taken outside the page
  - call: turnRed                   # a function that the fixture defines
  - settle: 200ms
  - mark: done

select:                             # events that the expectations look at
  parsed: {{name: ParseHTML, on: page.main}}
  passes: {{name: UpdateLayoutTree, on: page.main, during: change..done}}

expect:
  - claim: {slug}.parses-html
    count: {{of: parsed, is: ">= 1"}}
  - claim: {slug}.one-style-pass-per-change
    count: {{of: passes, is: 1}}
"""
_PAGE = """\
<!doctype html>
<meta charset="utf-8">
<title>{slug}</title>
<p id="text">A page under test.</p>
<script>
  // Steps call this. The change is made in a task of its own, so that a frame follows as on a real page.
  function turnRed() {{
    setTimeout(() => {{ document.getElementById("text").style.color = "red"; }}, 0);
  }}
</script>
"""
_FILES = {"claims.yaml": _CLAIMS, "first.scenario.yaml": _SCENARIO, "page.html": _PAGE}


@click.command(epilog=example("traceproof new my-event", "traceproof run ./my-event"))
@click.argument("name")
def new(name: str) -> None:
    """Write a scenario with comments, its fixture and its claims into the new folder NAME, ready to run."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        expected = "lower-case words with hyphens, such as my-event"
        raise UsageError(Problem(f"{name!r} cannot be the name of an event", expected=expected))
    folder = Path(name)
    if folder.exists():
        raise UsageError(Problem(f"{folder} is there already", remedy="choose another name, or move it away"))
    files = write_scenario(name, folder)
    click.echo(f"wrote {', '.join(map(str, files))}\nrun it with: traceproof run ./{folder}")


def write_scenario(slug: str, folder: Path) -> list[Path]:
    """The three files of an example about the event `slug`; `StoreError` when they cannot be written."""
    try:
        folder.mkdir(parents=True)
        for file, text in _FILES.items():
            (folder / file).write_text(text.format(slug=slug))
    except OSError as error:
        raise StoreError(f"{folder} could not be written: {error.strerror}") from error
    return [folder / file for file in _FILES]
