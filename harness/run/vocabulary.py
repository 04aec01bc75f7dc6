"""The category names of a recording against the list of the build that makes it."""

from __future__ import annotations

from typing import Any

from harness.browser import Controlled
from harness.categories import check, known_categories, resolve
from harness.record.bounded import bounded
from harness.scenario.model import RecordSpec

_SECONDS = 10.0


async def categories_for(spec: RecordSpec, launched: Controlled[Any]) -> list[str]:
    """What is to be sent: sets opened, patterns written out. `CategoryError` for a name that the build does not know.

    The names that any build ever gave count too: a browser process leaves out what it has not met yet, such as
    v8.execute in the shell of 156, which its renderers do record.
    """
    asking = launched.session.send("Tracing.getCategories")
    known = (await bounded(launched, asking, _SECONDS, "list its trace categories")).get("categories", [])
    check((*spec.categories, *spec.exclude), known and [*known, *known_categories()], at=spec.at)
    return resolve(spec.categories, known)


def check_names(spec: RecordSpec) -> None:
    """The same with no browser at hand: `CategoryError` for a name that no build ever gave."""
    check((*spec.categories, *spec.exclude), None, at=spec.at)
