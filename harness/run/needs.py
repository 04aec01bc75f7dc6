"""Which events of a recording a case can look at: what is held of a trace that is larger than memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from harness.expect.recording import Unanswerable
from harness.expect.templates import resolve
from harness.mutate.looks import WHOLE_TABLES, chain, forms_of, refs_of, selections_of
from harness.scenario.model import Case, Form, Query, Selection
from harness.trace import Trace, load
from harness.trace.context import END, START, RecordingContext, marker_name
from harness.trace.loss import OVERFLOWED
from harness.trace.packed import about_unpacked
from harness.trace.page import SIGHTINGS
from harness.trace.sift import Wanted, sift

LARGE: Final = 64_000_000  # bytes of a file, unpacked
_FLOW: Final = frozenset(("flow", "s", "t", "f"))
_OF_ALL: Final = re.compile("|".join((*WHOLE_TABLES, "parent_seq")), re.IGNORECASE)
_BOOKKEEPING: Final = ("clock_sync", OVERFLOWED, *SIGHTINGS, marker_name(START), marker_name(END))


def load_for(path: Path, case: Case, context: RecordingContext) -> Trace:
    """A trace for the expectations of a case: of a large one, where they name their events, only these.

    `TraceFileError` as `load`.
    """
    wanted = wanted_by(case, context) if about_unpacked(path) >= LARGE else None
    return load(path) if wanted is None else sift(path, wanted)


def wanted_by(case: Case, context: RecordingContext) -> Wanted | None:
    """The events that the case's expectations and the harness itself look at; None where that may be any."""
    forms = [form for one in (*case.require, *case.expect) for form in forms_of(one)]
    if any(_looks_at_all(form) for form in forms):
        return None
    names, patterns = set(_BOOKKEEPING), set[str]()
    for selection in selections_of(forms, case.select, case.arms):
        if selection.source != "trace" or selection.base is not None or selection.gaps_of is not None:
            continue
        if _FLOW.intersection(selection.phases) or not (selection.names or selection.name_matches):
            return None
        try:
            names |= {str(resolve(name, context)) for name in selection.names}
        except Unanswerable:
            return None
        if not selection.names:
            patterns.add(str(selection.name_matches))
    try:
        bare = frozenset[str]() if patterns else _bare(forms, case) - set(_BOOKKEEPING)
        return Wanted(frozenset(names), tuple(re.compile(pattern) for pattern in sorted(patterns)), bare)
    except (re.error, OverflowError, RecursionError):
        return None  # the expectation that has it says so, in its own words


def _bare(forms: Sequence[Form], case: Case) -> frozenset[str]:
    """Names of events that only hold others, or lie in them: of these nothing but their place is looked at."""
    used = selections_of(forms, case.select, case.arms)
    if any(isinstance(form, Query) for form in forms) or any(not isinstance(n, str) for one in used for n in one.names):
        return frozenset()
    looked: set[int] = set()

    def look(selection: Selection) -> None:
        for one in chain(selection, case.select):
            looked.add(id(one))
            if one.gaps_of is not None:
                look(case.select[one.gaps_of])

    for form in forms:
        for ref in refs_of(form):
            look(ref.narrowed or case.select[ref.name])
    for one in used:
        if one.where or one.by or one.gaps_of:
            look(one)
    every = {str(name) for one in used for name in one.names}
    return frozenset(every - {str(name) for one in used if id(one) in looked for name in one.names})


def _looks_at_all(form: Form) -> bool:
    """A query may name the tables that hold everything, and the places of events that nothing has selected. Wherever in
    its SQL a word of these stands, in a comment or a text even, it counts: to read too much does no harm."""
    return isinstance(form, Query) and _OF_ALL.search(form.sql) is not None
