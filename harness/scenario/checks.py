"""What is well formed but means nothing: names without a definition, circles, windows the wrong way round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from typing import Any

from harness.paths import reader_names
from harness.scenario import document
from harness.scenario.model import MAIN, Aggregate, Arm, Place, Query, Ref, Selection, Step
from harness.scenario.names import templates_in
from harness.scenario.report import INVALID, OUTSIDE, Report
from harness.scenario.schema import Fields
from harness.scenario.tree import Node
from harness.wording import did_you_mean, listed, nearest

START, END = "start", "end"  # the marks that every recording has
_DEFINES = {"select": ("selection",), "steps": ("mark", "window", "value"), "arms": ("arm",), "readers": ("value",)}
_LINKS = ("base", "gaps_of", "inside", "not_inside", "containing", "not_containing")


def check_names(
    root: Node,
    arms: Mapping[str, Any],
    selections: Mapping[str, Any],
    claim_ids: Sequence[str] | None,
    written: Mapping[str, list[Any]],
    report: Report,
) -> None:
    """Every name that is used is defined, and every selection and window makes sense.

    `claim_ids`: None where the file that has them could not be read.
    """
    marks = {name: _marks(node) for name, node in _step_lists(root).items()}
    known_marks = list(dict.fromkeys([START, END, *(mark for arm in marks.values() for mark in arm)]))
    returned = {name for node in _step_lists(root).values() for name in _values(node)}
    values = sorted(returned | {use.name for use in report.uses if use.kind == "reader"})
    known: dict[str, tuple[Sequence[str], str, str]] = {
        "selection": (list(selections), "selection", "define it under select"),
        "arm": (list(arms), "arm", "define it under arms"),
        "claim": (claim_ids or (), "claim", "write it into claims.yaml, or mend the id"),
        "mark": (known_marks, "mark", "add the step `mark: <name>`"),
        "value": (values, "value", "give a step that returns it `as: <name>`"),
        "reader": (reader_names(), "reader", "readers are folders in configs/readers"),
    }
    misspelt = _misspelt_sections(root)
    for use in report.uses:
        if use.kind in OUTSIDE or (use.kind == "claim" and claim_ids is None):
            continue
        if use.kind in misspelt:  # told once, at the key
            continue
        if use.kind == "window":
            _check_window(use.name, use.at, marks, report)
        elif use.name not in known[use.kind][0]:
            words, what, otherwise = known[use.kind]
            remedy = did_you_mean(use.name, words) or otherwise
            most = 8 if use.kind == "claim" else 30  # of claims there are hundreds
            expected = f"one of {listed(words, most)}" if words else ""
            report.add(use.at, f'there is no {what} "{use.name}"', expected=expected, remedy=remedy)
    _check_marks(root, report)
    _check_circles(selections, report)
    lost = any(use.kind == "selection" and use.name not in selections for use in report.uses)
    unread = any(len(written[key]) < len(part.parts()) for key in written if (part := root.get(key)))
    if not lost and not unread:  # else the one that seems unused is the one that was meant
        _check_unused(root, report)


def check_references(
    root: Node, arms: Mapping[str, Any], written: Mapping[str, list[Any]], claims: Sequence[str], report: Report
) -> None:
    """Claims and arms: each expectation says what it decides and where it looks; bounds have a reason."""
    for form_name, _, fields in written["expect"]:
        _check_claims(form_name, fields, claims, report)
    _check_decided(root, written["expect"], claims, report)
    has_arms = root.get("arms") is not None
    for _, form, fields in (*written["expect"], *written["require"]):
        if has_arms:
            _check_arms(form, fields, list(arms), report)
        else:
            _check_no_arms(fields, report)
    for arm in arms.values():
        if arm is not INVALID:
            _check_value_order(arm[0], report)
    design = root.get("design")
    if design and len(arms) != 2:
        found = listed(arms) if has_arms else "none"
        report.add(
            root.keys["design"], "a paired design takes exactly two arms", expected="arms: two of them", found=found
        )
    bound = [key for key in ("versions", "modes") if key in root.keys]
    if bound and "reason" not in root.keys:
        message = f"{' and '.join(bound)} bound without a reason"
        report.add(root.keys[bound[0]], message, expected="reason: why it cannot be tested elsewhere")
    if "reason" in root.keys and not bound:
        report.add(
            root.keys["reason"], "reason without versions or modes", remedy="take it away, or bind versions or modes"
        )


def _misspelt_sections(root: Node) -> set[str]:
    """The kinds of names that cannot be known, as the section that defines them has a key that is misspelt."""
    meant = {near for key in root.keys if key not in document.TOP for near in nearest(key, document.TOP)}
    return {kind for section, kinds in _DEFINES.items() if section in meant - set(root.keys) for kind in kinds}


# --- steps: marks and values ----------------------------------------------------------------------------------------


def _step_lists(root: Node) -> dict[str, Node]:
    """The step list of each arm as written; nodes, so that names are known even where a step is wrong."""
    top, arms = root.get("steps"), root.get("arms")
    if arms is None:
        return {MAIN: top} if top else {}
    lists = {name: node.get("steps") or top for name, node in arms.items()}
    return {name: node for name, node in lists.items() if node}


def _marks(steps: Node) -> list[str]:
    marks = [mark.value for step in steps.parts() if (mark := step.get("mark"))]
    return [mark for mark in marks if isinstance(mark, str)]


def _values(steps: Node) -> list[str]:
    names = [name.value for step in steps.parts() if (name := step.get("as"))]
    return [name for name in names if isinstance(name, str)]


def _check_marks(root: Node, report: Report) -> None:
    for steps in _step_lists(root).values():
        seen: dict[str, Place] = {}
        for step in steps.parts():
            mark = step.get("mark")
            if mark is None or not isinstance(mark.value, str):
                continue
            if mark.value in (START, END):
                remedy = "every recording has start and end; choose another name"
                report.add(mark.at, f'the mark "{mark.value}" is set already', remedy=remedy)
            elif mark.value in seen:
                message = f'the mark "{mark.value}" is set twice'
                report.add(
                    mark.at, message, found=f"the first is in line {seen[mark.value].line}", remedy="rename one of them"
                )
            seen.setdefault(mark.value, mark.at)


def _check_window(window: str, at: Place, marks: Mapping[str, list[str]], report: Report) -> None:
    begin, _, end = window.partition("..")
    orders = [[START, *names, END] for names in marks.values()]
    both = [order for order in orders if begin in order and end in order]
    if both and all(order.index(begin) >= order.index(end) for order in both):
        if begin == end:
            report.add(at, f"the window {window} is empty: both ends are one mark")
        else:
            report.add(at, f'"{begin}" is set after "{end}"', found=window, remedy=f"write {end}..{begin}")


def _check_value_order(arm: Arm, report: Report) -> None:
    """A step uses only values that earlier steps of its arm returned."""
    later = {step.options["as"] for step in arm.steps if "as" in step.options}
    for step in arm.steps:
        for name in _value_names(step):
            if name in later:
                remedy = "move the step that returns it up"
                report.add(step.at, f"${{values.{name}}} is used before a step returns it", remedy=remedy)
        later.discard(step.options.get("as"))


def _value_names(step: Step) -> Iterator[str]:
    for template in templates_in([step.arg, step.options]):
        for name in template.names:
            if name.startswith("values."):
                yield re.split(r"[.\[]", name)[1]


# --- selections -----------------------------------------------------------------------------------------------------


def _links(selection: Any) -> list[str]:
    if not isinstance(selection, Selection):
        return []
    return [name for link in _LINKS if (name := getattr(selection, link))]


def _check_circles(selections: Mapping[str, Any], report: Report) -> None:
    """Report each circle once, at the selection that is defined first."""
    reported: set[frozenset[str]] = set()

    def walk(name: str, trail: list[str]) -> None:
        if name in trail:
            circle = trail[trail.index(name) :]
            if frozenset(circle) not in reported:
                reported.add(frozenset(circle))
                shown = " → ".join([*circle, name])
                at = selections[name].at
                report.add(at, f"selections go in a circle: {shown}", remedy="define one of them without the others")
            return
        for link in _links(selections.get(name)):
            walk(link, [*trail, name])

    for name in selections:
        walk(name, [])


def _check_unused(root: Node, report: Report) -> None:
    select = root.get("select")
    if select is None:
        return
    used = {use.name for use in report.uses if use.kind == "selection"}
    sql = " ".join(_sql(root))
    for name, at in select.keys.items():
        if name not in used and not re.search(rf"\b{re.escape(name)}\b", sql):
            remedy = "use it in an expectation, or take it away"
            report.add(at, f'the selection "{name}" is never used', remedy=remedy)


def _sql(root: Node) -> Iterator[str]:
    """The text of each query, wherever it stands."""
    for key, node in root.items():
        if key == "query" and isinstance(node.value, str):
            yield node.value
        yield from _sql(node)
    for node in root.parts():
        yield from _sql(node)


# --- claims and arms of an expectation ------------------------------------------------------------------------------


def _check_claims(form_name: str, fields: Fields, claims: Sequence[str], report: Report) -> None:
    named = (fields["claim"],) if "claim" in fields else fields.get("claims", ())
    key = "claim" if "claim" in fields else "claims"
    if not named and len(claims) > 1:
        at = fields.node.keys[form_name]
        remedy = "several claims are listed at the top: say which of them this decides"
        report.add(at, "this expectation names no claim", expected=f"claim: one of {listed(claims)}", remedy=remedy)
    for name in named:
        if name not in claims:
            remedy = did_you_mean(name, claims) or "add it to the claims at the top"
            message = f'"{name}" is not among the claims of this scenario'
            report.add(fields.at(key), message, expected=f"one of {listed(claims)}", remedy=remedy)


def _check_decided(root: Node, expectations: list[Any], claims: Sequence[str], report: Report) -> None:
    listed_claims, written = root.get("claims"), root.get("expect")
    if listed_claims is None or written is None or len(expectations) < len(written.parts()):
        return  # an expectation that could not be read may be the one that names it
    named = {name for _, _, fields in expectations for name in fields.get("claims", (fields.get("claim"),))}
    if (None in named and len(claims) > 1) or not named <= {None, *claims}:
        return  # told already: this one may be meant
    bare = None in named
    told = {(problem.line, problem.column) for problem in report.problems}
    for node in listed_claims.parts():
        if node.value not in named and not bare and (node.at.line, node.at.column) not in told:
            remedy = "add an expectation with this claim, or take the claim away"
            report.add(node.at, f'no expectation decides "{node.value}"', remedy=remedy)
        if [part.value for part in listed_claims.parts()].count(node.value) > 1:
            report.add(node.at, f'the claim "{node.value}" is listed twice', remedy="keep one of them")


def parts_of(form: Any, kind: type) -> Iterator[Any]:
    """Every object of a kind inside a form."""
    if isinstance(form, kind):
        yield form
    if is_dataclass(form) and not isinstance(form, type):
        for spec in dataclass_fields(form):
            yield from parts_of(getattr(form, spec.name), kind)
    elif isinstance(form, tuple | list):
        for part in form:
            yield from parts_of(part, kind)


def _check_arms(form: Any, fields: Fields, arms: list[str], report: Report) -> None:
    if "arm" in fields or "arms" in fields:
        return
    everything = [form, fields.get("control", ())]
    expected = f"arm: one of {listed(arms)}; or arms: all"
    for ref in parts_of(everything, Ref):
        if ref.arm is None:
            remedy = f"write {ref.name}@{arms[0] if arms else '<arm>'}, or add arm or arms to the expectation"
            report.add(ref.at, f'in which arm is "{ref.name}" looked up?', expected=expected, remedy=remedy)
    for aggregate in parts_of(everything, Aggregate):
        if aggregate.kind == "value" and aggregate.arm is None:
            report.add(aggregate.at, f'in which arm is the value "{aggregate.path}" looked up?', expected=expected)
    for query in parts_of(everything, Query):
        if not any(re.search(rf"\b{re.escape(arm)}\.", query.sql) for arm in arms):
            report.add(fields.node.at, "in which arm does the query look?", expected=expected)


def _check_no_arms(fields: Fields, report: Report) -> None:
    for key in ("arm", "arms"):
        if key in fields and fields[key] not in ("all", MAIN):
            remedy = f"take {key} away, or define arms"
            report.add(
                fields.node.keys[key], "this scenario has no arms", found=f"{key} in an expectation", remedy=remedy
            )
