"""`{of: layouts, during: start..reads}`: a window that narrows takes the place of the window that `layouts` has.

Two windows would mostly have nothing in common, and the control of an absence looks just where the absence is not.
So the narrowed selection is written out, with all that it inherits but the window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from harness.scenario.model import Ref, Selection
from harness.scenario.report import Report

_CRITERIA = (
    *("names", "name_matches", "cat", "phases", "on", "thread_matches", "inside", "not_inside", "containing"),
    "not_containing",
)


def with_own_window(selection: Selection, select: Mapping[str, Selection], report: Report) -> Selection:
    """The selection, written out where a window of what it narrows would be in the way of its own."""
    if selection.during is None or not _has_window(selection.base, select):
        return selection
    assert selection.base is not None
    base = select[selection.base]
    clash = [name for name in _CRITERIA if getattr(selection, name) and getattr(base, name)]
    if base.take is not None:
        clash.append("take")
    if clash:
        report.add(
            selection.at,
            f'"{selection.base}" has a window and {clash[0].rstrip("s")} of its own: both cannot be replaced',
            remedy=f"define a selection without a window, and narrow that one to make {selection.base} and this",
        )
        return selection
    given = {name: value for name in _CRITERIA if (value := getattr(selection, name))}
    where = base.where + selection.where
    arm = base.arm or selection.arm  # as a chain of selections would find it
    merged = replace(base, at=selection.at, arm=arm, during=selection.during, where=where, take=selection.take, **given)
    return with_own_window(merged, select, report)


def _has_window(name: str | None, select: Mapping[str, Selection]) -> bool:
    if name is None:
        return False
    return select[name].during is not None or _has_window(select[name].base, select)


def refs_with_own_windows(form: Any, select: Mapping[str, Selection], report: Report) -> Any:
    """A form (or a tuple of forms) with the narrowed references in it written out."""
    if isinstance(form, tuple):
        return tuple(refs_with_own_windows(part, select, report) for part in form)
    if isinstance(form, Ref):
        return replace(form, narrowed=with_own_window(form.narrowed, select, report)) if form.narrowed else form
    if not is_dataclass(form) or isinstance(form, type):
        return form
    changed = {
        spec.name: new
        for spec in fields(form)
        if (new := refs_with_own_windows(old := getattr(form, spec.name), select, report)) is not old
    }
    return replace(form, **changed) if changed else form
