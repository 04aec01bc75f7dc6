"""A scenario after loading: typed, substituted, with the place of each part in its file.

The YAML form of each class is described in `docs/scenarios.md`; `load.py` makes these objects and nothing else does.
Run-time names (`${fixture.url}`, `${values.x}`) stay as `Template` until a recording's context can answer them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from harness.numbers import NumberTest
from harness.versions import EVERY, VersionRange

MAIN = "main"  # the arm of a scenario that names none
MODES = ("headless", "shell", "headed")
Raster = Literal["software", "gpu", "both"]  # both: arms that compare the two
RASTERS: tuple[Raster, ...] = get_args(Raster)
RECORDERS = ("cdp-browser", "cdp-page", "cdp-quiet", "startup", "perfetto", "perfetto-config")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part stands: 1-based line and column, and the path in the document such as `$.expect[2].count`."""

    file: str
    line: int
    column: int
    path: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Template:
    """A scalar with run-time names. `"${values.x}"` alone keeps the value's type; otherwise text is joined."""

    text: str
    names: tuple[str, ...]


Scalar = str | int | float | bool | None | Template


# --- tests on one event -------------------------------------------------------------------------------------------

ValueOp = Literal["is", "not", "present", "absent", "compare", "matches", "one_of", "type", "keys", "length"]


@dataclass(frozen=True, slots=True)
class ValueTest:
    """One operator on the values at a path. `operand`: Scalar, NumberTest, str (regex or type name) or tuple."""

    op: ValueOp
    operand: Any


@dataclass(frozen=True, slots=True)
class Condition:
    """All `tests` hold for the value at `path` (`args.data.url`, `dur`, `args.data.stackTrace[].url`, `self`)."""

    path: str
    tests: tuple[ValueTest, ...]
    at: Place


@dataclass(frozen=True, slots=True)
class Window:
    """`during: a..b`: the event's start lies in [a, b). `start` and `end` are the recording's own."""

    begin: str
    end: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Named events picked from a recording. Every criterion that is given must hold; a bare one picks everything.

    source: `trace` (events), `server` (requests of the fixture server's log), `marks` (step marks).
    base: another selection that this one narrows (`of:`), with the arm where it names one (`of: reads@plain`). A
        `during` of this one takes the place of the base's: the loader writes such a selection out (`windows.py`).
    gaps_of: pseudo-events for the time between one event's end and the next one's start, for each thread or `by` group.
    on: `<process>.<thread>`, see `docs/scenarios.md`; the default is `page`: every thread of the page's process.
    phases: group words (`slice`, `instant`, `async`, `flow`, `counter`, `metadata`, `object`, `sample`) or raw letters;
        empty means all groups but flow and metadata.
    take: `first`, `last` or an index from 0 (negative from the end), in order of time, after all other criteria.
    """

    at: Place
    source: Literal["trace", "server", "marks"] = "trace"
    base: str | None = None
    arm: str | None = None
    gaps_of: str | None = None
    by: tuple[str, ...] = ()
    names: tuple[Scalar, ...] = ()
    name_matches: str | None = None
    cat: str | None = None  # one of the event's comma-separated categories
    phases: tuple[str, ...] = ()
    on: str | None = None
    thread_matches: str | None = None
    during: Window | None = None
    where: tuple[Condition, ...] = ()
    inside: str | None = None
    not_inside: str | None = None
    containing: str | None = None
    not_containing: str | None = None
    take: str | int | None = None


@dataclass(frozen=True, slots=True)
class Ref:
    """A use of a selection: by name, with the arm where one is named, narrowed further where the form says so.

    `narrowed` stands for the whole selection: its `base` is `name`, or it is written out where its window is another.
    """

    name: str
    arm: str | None
    at: Place
    narrowed: Selection | None = None


# --- expectation forms --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Count:
    of: Ref
    test: NumberTest
    per: tuple[str, ...] = ()  # the count of each group that has the same values at these paths


@dataclass(frozen=True, slots=True)
class Contains:
    """Descendants in `of`, any depth; with `innermost` only those whose nearest ancestor in the outer set is this."""

    of: Ref
    test: NumberTest  # how many
    equals_path: str | None = None  # instead of `test`: the outer event's own number at this path
    innermost: bool = False


@dataclass(frozen=True, slots=True)
class Each:
    of: Ref
    has: tuple[Condition, ...] = ()
    inside: Ref | None = None
    not_inside: Ref | None = None
    parent: Ref | None = None  # the direct parent slice is in this selection
    contains: tuple[Contains, ...] = ()
    innermost: Ref | None = None  # contains none of these
    after: Ref | None = None  # starts after the end of at least one of these
    before: Ref | None = None  # ends before the start of at least one of these


@dataclass(frozen=True, slots=True)
class NoneOf:
    of: Ref


@dataclass(frozen=True, slots=True)
class Order:
    """`all`: every event of a selection before every event of the next. `pairwise`: equal counts, the i-th before the
    i-th. Times compared: `edge` of the earlier (`start` or `end`) with the start of the later."""

    of: tuple[Ref, ...]
    by: tuple[str, ...] = ()
    match: Literal["all", "pairwise"] = "all"
    edge: Literal["start", "end"] = "start"


@dataclass(frozen=True, slots=True)
class Alternate:
    """In each group of `by`, in order of time: first, second, first, second…; `tail: open` lets the last first stand
    alone, `tail: complete` does not."""

    of: tuple[Ref, Ref]
    by: tuple[str, ...] = ()
    tail: Literal["complete", "open"] = "complete"


@dataclass(frozen=True, slots=True)
class PairTest:
    """For each joined pair: the number at `left` on the left side `sign` the number at `right` on the right side."""

    left: str
    sign: str
    right: str


@dataclass(frozen=True, slots=True)
class Join:
    left: Ref
    right: Ref
    on: tuple[tuple[str, str], ...] = ()  # paths left and right; empty with `by: containment`
    containment: bool = False  # the right event lies inside the left
    relation: Literal["one-to-one", "one-to-many", "many-to-one", "many-to-many"] = "one-to-one"
    unmatched_left: NumberTest | None = None  # None: exactly 0
    unmatched_right: NumberTest | None = None
    pairs: tuple[PairTest, ...] = ()


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number. kind: count, sum, median, mean, min, max of `path` over `of`; `value`: what a step returned
    (`name.path`); `constant`. Virtual paths: `dur`, `self` (duration without children), `ts`, `end`. The server's log
    is reached through a selection with `source: server`."""

    kind: Literal["count", "sum", "median", "mean", "min", "max", "value", "constant"]
    at: Place
    of: Ref | None = None
    path: str = ""
    constant: float | Template = 0.0
    arm: str | None = None  # for `value`


@dataclass(frozen=True, slots=True)
class Compare:
    """`is`: left itself. `ratio`: left / right. `difference`: left - right. Exactly one of them."""

    left: Aggregate
    measure: Literal["is", "ratio", "difference"]
    test: NumberTest
    right: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Same:
    """`same`: the values at `path` are the same in all of `of`; with one selection, one value in all of it (each group
    of `by`). `differ`: no value in common between any two; with one selection, no value twice (per group)."""

    of: tuple[Ref, ...]
    path: str
    differ: bool = False
    by: tuple[str, ...] = ()
    shape: Literal["set", "multiset", "sequence"] = "set"


@dataclass(frozen=True, slots=True)
class Query:
    """SQL over the recording. `rows`: a NumberTest on how many, or the exact rows. `over`: must not be empty."""

    sql: str
    count: NumberTest | None = None
    rows: tuple[tuple[Any, ...], ...] | None = None
    over: Ref | None = None


Form = Count | Each | NoneOf | Order | Alternate | Join | Compare | Same | Query


@dataclass(frozen=True, slots=True)
class Expectation:
    """One form with its claims. An unmet control makes the finding INVALID, never UNMET. `arms`: where references that
    name no arm are looked up; the form must be met in each of them."""

    index: int
    claims: tuple[str, ...]
    form_name: str
    form: Form
    at: Place
    text: str
    control: tuple[Form, ...] = ()
    arms: tuple[str, ...] = (MAIN,)
    because: str = ""  # what it means when this fails, in words


# --- recordings ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordSpec:
    categories: tuple[str, ...]  # set names and raw categories, as written
    exclude: tuple[str, ...] = ("*",)
    recorder: str = "cdp-browser"
    buffer_bytes: int = 200 * 1024 * 1024
    buffer_mode: Literal["until-full", "continuously", "as-much-as-possible"] = "until-full"
    markers: Literal["clock", "page", "none"] = "clock"
    at: Place | None = None


@dataclass(frozen=True, slots=True)
class BrowserSpec:
    profile: str = "default"
    args: tuple[str, ...] = ()
    window: tuple[int, int] = (1280, 800)
    raster: Literal["software", "gpu"] = "software"
    extension: Path | None = None  # the manifest.json of an unpacked extension, absolute


@dataclass(frozen=True, slots=True)
class Step:
    """`verb` with its argument and options, checked against `scenario/verbs.py`; values may be Templates."""

    index: int
    verb: str
    arg: Any
    options: Mapping[str, Any]
    at: Place


@dataclass(frozen=True, slots=True)
class Edit:
    """What is changed in a recording before a reader sees it: events of a selection are left out, changed or copied.

    set, add: by paths into the events as the file has them (`ts`, `args.frameSeqId`); of the copies, where it copies.
    """

    kind: Literal["drop", "change", "copy"]
    of: str
    set: Mapping[str, Scalar]
    add: Mapping[str, float]
    at: Place


@dataclass(frozen=True, slots=True)
class Reading:
    """An arm that nobody records: what the reader `by` makes of the recording of the arm `of`, after the edits."""

    by: str
    of: str
    edits: tuple[Edit, ...]
    at: Place


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of recording; `reading`: one of reading another arm's recording, of which all the rest is."""

    name: str
    record: RecordSpec
    browser: BrowserSpec
    fixture: Path | None  # absolute
    steps: tuple[Step, ...]
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Paired:
    """Arms alternate (A B, B A, …) for this many blocks inside one attempt; ratios are the median of the blocks'."""

    blocks: int


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario with its matrix resolved: what is run. `cell` is empty without a matrix, else `n=10,size=2`."""

    id: str
    title: str
    cell: str
    file: Path
    at: Place
    claims: tuple[str, ...]
    arms: Mapping[str, Arm]
    select: Mapping[str, Selection]
    expect: tuple[Expectation, ...]
    require: tuple[Expectation, ...] = ()  # preconditions: when one is not met the attempt is invalid
    versions: VersionRange = EVERY
    modes: tuple[str, ...] = ()  # empty: every mode
    reason: str = ""  # why versions or modes are bound
    needs: tuple[str, ...] = ()  # capabilities
    paired: Paired | None = None
    attempts: int | None = None
    exclusive: bool = False
    timeout_s: float = 60.0
    changes_process: bool = False
    tags: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()  # programs that read each recording; what they say is among the values
    fixtures_root: Path = field(default_factory=Path)
    recorder: str = ""  # that takes the place of its own in every arm, by the command line

    @property
    def name(self) -> str:
        return f"{self.id}[{self.cell}]" if self.cell else self.id

    @property
    def raster(self) -> Raster:
        """How its arms raster; `both` where they compare the two ways."""
        found = {arm.browser.raster for arm in self.arms.values()}
        return "both" if len(found) > 1 else next(iter(found))

    def applies_to(self, major: int, mode: str) -> bool:
        """Whether the scenario is about this version and mode."""
        return self.versions.contains(major) and (not self.modes or mode in self.modes)


# --- claims -------------------------------------------------------------------------------------------------------


UndecidableKind = Literal["source-only", "other-platform", "panel-ui", "physical-device", "corpus", "no-build"]


@dataclass(frozen=True, slots=True)
class Undecidable:
    """Why no lab on this platform can decide a claim."""

    kind: UndecidableKind
    why: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One falsifiable statement, in our own words."""

    id: str
    event: str  # slug, the folder
    says: str
    refuted_by: str  # the recording that would prove it false
    at: Place
    kind: str = "behaviour"
    versions: VersionRange = EVERY
    undecidable: Undecidable | None = None
    open: str = ""  # why nobody has decided it yet
