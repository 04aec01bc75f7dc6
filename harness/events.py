"""What a run reports while it goes on and what it leaves behind: plain records that the run writes and reports read.

Every struct here is one line of `ledger.jsonl` or a part of one; field names are its published schema.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from harness.verdict import Outcome, Verdict, combine

SCHEMA = 1  # of the ledger: another number where a reader of this one would misread it

# What the seconds of an attempt are spent on, in the order in which they are.
PHASES: dict[str, str] = {
    "server": "the fixture server",
    "launch": "a browser with a fresh profile, until it answers",
    "page": "taking hold of its page, and its list of categories",
    "start": "starting the recording",
    "steps": "the scenario's steps, their waits included",
    "stop": "ending the recording, until all processes have handed over their events",
    "identity": "the second, tiny recording, which tells the page's process",
    "collect": "bringing the trace to disk",
    "close": "ending the browser, and removing its profile",
    "keep": "hash, manifest, context, store",
    "read": "reading the trace, and the gate",
    "readers": "the readers that a scenario asks",
    "judge": "the expectations",
}

# What one attempt says of a claim that it tests with several expectations. A control that failed comes before a
# contradiction: it says that the recording could not have shown the claim either way.
_PRECEDENCE = (Outcome.ERROR, Outcome.INVALID, Outcome.UNMET, Outcome.MET)


class EventView(msgspec.Struct, frozen=True, kw_only=True):
    """A trace event as evidence shows it: arguments cut to what a person reads, parents from the outermost in."""

    seq: int  # place in the file, from 0
    name: str
    ph: str
    ts_us: float
    dur_us: float | None = None
    pid: int = 0
    tid: int = 0
    thread: str = ""
    args: dict[str, Any] = {}
    parents: list[str] = []
    note: str = ""  # why it is shown: "matched", "missed: dur 12 us is not >= 100 us"


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A number that an expectation looked at: one value for each block, and what they say of the true median.

    low, high: the interval of the median with the `confidence` that so many blocks can give; None for one block.
    warm_up, order: the first block against the median of the rest, and the blocks that ran A B against those that ran
    B A; as a quotient for a `ratio`, else as a difference. None where there is nothing to compare.
    """

    name: str  # "count", "ratio", "the sum of dur over `passes@plain`"
    values: list[float]
    median: float
    unit: str = ""  # "events", "us" or nothing
    arm: str = ""
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    warm_up: float | None = None
    order: float | None = None
    cost: bool = False  # what a claim about time rests on: times are compared, so the load of the machine matters


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one expectation in one attempt."""

    index: int  # of the expectation in its scenario, from 0
    claims: list[str]
    form: str
    text: str  # the expectation as written
    outcome: Outcome
    summary: str  # one line: what was asked and what was found
    details: list[str] = []
    population: int = 0  # how many events the test looked at
    matched: list[EventView] = []
    misses: list[EventView] = []
    place: str = ""  # file:line:column
    arm: str = ""
    block: int = 0
    measures: list[Measure] = []  # the number that is tested first


class RecordingRef(msgspec.Struct, frozen=True, kw_only=True):
    """A stored recording of one arm; paths are relative to the run's output folder."""

    arm: str
    block: int
    trace: str
    context: str
    sha256: str
    events: int
    bytes: int
    recorder: str
    categories: list[str]
    invalid: list[str] = []  # the validity gate's reasons
    anomalies: dict[str, int] = {}
    order: int = 0  # its place among the recordings of its attempt, from 1; 0: not known
    load: float = 0  # one-minute load average when it began
    buffer_peak: float | None = None  # of 1, as far as the browser reported it
    last_us: dict[str, float] = {}  # by pid: when it wrote last, in microseconds after the first event of all


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of all arms of a case."""

    number: int  # from 1
    valid: bool
    reasons: list[str] = []  # why it is not
    error: str = ""  # a failure of the lab
    findings: list[Finding] = []
    recordings: list[RecordingRef] = []
    seconds: float = 0
    load: float = 0  # one-minute load average when it began
    processors: int = 0  # that the load is spread over; 0: not known
    phases: dict[str, float] = {}  # seconds by what they were spent on, a key of `PHASES`

    def says(self, claim: str) -> Outcome:
        """What it answers for one claim: the worst of that claim's expectations."""
        if self.error:
            return Outcome.ERROR
        said = [finding.outcome for finding in self.findings if claim in finding.claims] if self.valid else []
        return min(said, key=_PRECEDENCE.index, default=Outcome.INVALID)


class BuildView(msgspec.Struct, frozen=True, kw_only=True):
    """A browser build, or (`source: trace`) what a stored trace says of the one that wrote it."""

    product: str
    version: str
    major: int
    path: str
    source: str


class Lab(NamedTuple):
    """Where an answer was found: answers of two labs are never made into one. `raster`: software, gpu or both."""

    build: BuildView
    mode: str
    raster: str


class CaseKey(NamedTuple):
    """What tells the cases of a run apart. `binary`: the path of the browser."""

    scenario: str
    cell: str
    binary: str
    version: str
    mode: str
    raster: str


class AttemptDone(msgspec.Struct, frozen=True, kw_only=True, tag="attempt"):
    """One attempt, on disk as soon as it has ended, so that a run that was cut short loses none.

    The line of its case, which follows when all its attempts have ended, says the same again.
    """

    scenario: str
    cell: str = ""
    build: BuildView
    mode: str
    raster: str = "software"
    attempt: Attempt
    elapsed_s: float = 0  # since the run began

    @property
    def key(self) -> CaseKey:
        return CaseKey(self.scenario, self.cell, self.build.path, self.build.version, self.mode, self.raster)


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """Attempts until the verdict is decided (`--until-decided`): the rule in words and its numbers, told beforehand."""

    rule: str
    at_most: int  # attempts of each case
    rate: float  # that the interval of HOLDS lies above; of REFUTED, below 1 - rate
    confidence: float  # of the interval, at whatever moment one stops


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """When the rule of a `Sampling` gave the verdict of a claim, and the interval of the rate after all attempts."""

    verdict: Verdict
    attempt: int  # from here on the verdict stayed what it is
    low: float
    high: float


class CaseResult(msgspec.Struct, frozen=True, kw_only=True, tag="case"):
    """One scenario (one cell of its matrix) on one build, mode and raster path, with all its attempts."""

    scenario: str
    cell: str = ""  # "n=10,size=2"
    place: str = ""
    title: str = ""
    build: BuildView
    mode: str
    raster: str = "software"  # "both" where its arms compare the two
    claims: list[str]
    verdicts: dict[str, Verdict]
    expected: dict[str, Verdict] = {}  # claim: what the baseline says; HOLDS where it says nothing
    tallies: dict[str, tuple[int, int]] = {}  # claim: met, valid attempts
    reason: str = ""  # why nothing was run
    reasons: dict[str, str] = {}  # claim: why this one was not tested
    attempts: list[Attempt] = []
    sampling: Sampling | None = None  # None: the number of attempts was fixed
    decisions: dict[str, Decision] = {}  # claim: by that rule
    repeat: str = ""  # the command that runs exactly this again

    @property
    def key(self) -> CaseKey:
        return CaseKey(self.scenario, self.cell, self.build.path, self.build.version, self.mode, self.raster)

    @property
    def name(self) -> str:
        """The scenario, with the cell of its matrix where it has one."""
        return f"{self.scenario}[{self.cell}]" if self.cell else self.scenario

    @property
    def lab(self) -> Lab:
        return Lab(self.build, self.mode, self.raster)

    def drifts(self, claim: str) -> bool:
        """This case's own verdict differs from the claim's baseline."""
        return self.verdicts[claim] not in (self.expected.get(claim, Verdict.HOLDS), Verdict.NOT_APPLICABLE)

    def surprises(self, claim: str) -> bool:
        """No other case's verdict could make the claim's the expected one.

        A case that holds is no surprise where the claim is expected to be refuted: another case may do that.
        """
        expected = self.expected.get(claim, Verdict.HOLDS)
        return self.drifts(claim) and combine([self.verdicts[claim], expected]) is not expected


class ClaimVerdict(msgspec.Struct, frozen=True, kw_only=True, tag="verdict"):
    """The answer for one claim on one build, mode and raster path."""

    claim: str
    says: str = ""
    event: str = ""
    build: BuildView
    mode: str
    raster: str = "software"
    verdict: Verdict
    met: int = 0
    valid: int = 0
    attempts: int = 0
    low: float = 0  # 95 % interval of the rate at which an attempt meets the claim: Wilson's
    high: float = 1
    sequential: bool = False  # attempts were made until it was decided: the interval is one that is valid then
    costs: list[Measure] = []  # its numbers about time, over the blocks of all valid attempts
    expected: Verdict = Verdict.HOLDS
    reason: str = ""
    baseline_reason: str = ""
    scenarios: list[str] = []
    left_out: list[str] = []  # scenarios that test the claim too and were not asked for
    repeat: str = ""

    @property
    def lab(self) -> Lab:
        return Lab(self.build, self.mode, self.raster)

    @property
    def drift(self) -> bool:
        """A verdict that differs from the baseline. NOT_APPLICABLE claims nothing, so it never differs.

        Nor does HOLDS where a scenario that may refute the claim, as expected, was left out.
        """
        if self.left_out and self.verdict is Verdict.HOLDS:
            return False
        return self.verdict not in (self.expected, Verdict.NOT_APPLICABLE)


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a run that several machines share (`--shard 2/8`)."""

    number: int  # from 1
    of: int
    jobs: list[int]  # their places in the plan of the whole run, from 0
    planned: int  # jobs of the whole run


class RunPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was to do: enough for another process to go on with it (`traceproof run --resume`)."""

    directory: str = ""  # that relative paths start from
    store: str = ""
    paths: list[str] = []  # the user's own scenario files and folders
    cases: dict[str, str] = {}  # name: sha256 over its scenario file and its pages
    builds: list[BuildView] = []
    modes: list[str] = []
    recorder: str = ""
    attempts: int | None = None
    sampling: Sampling | None = None  # the rule that says how many attempts there are; None: their number is fixed
    stop_early: bool = False
    shard: Shard | None = None  # this run is only a part of the plan


class MergedShard(msgspec.Struct, frozen=True, kw_only=True):
    """One of the shards that a run was joined from (`traceproof merge`)."""

    number: int
    folder: str
    started: str  # ISO 8601, UTC
    seconds: float
    command: list[str]
    machine: dict[str, Any] = {}
    lacks: int = 0  # of its jobs


class RunHeader(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """The first line of a ledger. `plan` is None where nothing is told of it: such a run cannot be resumed."""

    traceproof: str
    started: str  # ISO 8601, UTC
    command: list[str]
    machine: dict[str, Any] = {}
    plan: RunPlan | None = None
    merged: list[MergedShard] = []  # `machine` has what all of theirs have in common
    schema: int = SCHEMA


class RunResumed(msgspec.Struct, frozen=True, kw_only=True, tag="resumed"):
    """From here on another process went on with the run."""

    started: str  # ISO 8601, UTC
    command: list[str]
    machine: dict[str, Any] = {}


class RunFooter(msgspec.Struct, frozen=True, kw_only=True, tag="end"):
    """The last line of a ledger: its absence says that the run was cut short."""

    seconds: float
    verdicts: dict[str, int]
    drifts: int


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run, for reports. `folder` holds the recordings and the ledger."""

    header: RunHeader
    cases: list[CaseResult]
    verdicts: list[ClaimVerdict]
    footer: RunFooter
    folder: str
    ledger: str = ""  # its file; empty where none is written

    @property
    def drifts(self) -> list[ClaimVerdict]:
        return [verdict for verdict in self.verdicts if verdict.drift]

    @property
    def exit_code(self) -> int:
        """0 as expected, 1 verdicts differ from the baseline, 3 the harness or the browser failed."""
        if any(verdict.verdict is Verdict.ERROR for verdict in self.drifts):
            return 3
        return 1 if self.drifts else 0


LedgerLine = RunHeader | RunResumed | AttemptDone | CaseResult | ClaimVerdict | RunFooter


class Planned(msgspec.Struct, frozen=True):
    """Progress: the run will execute this many attempts over this many cases."""

    cases: int
    attempts: int


class Started(msgspec.Struct, frozen=True):
    """Progress: an attempt of a case has begun."""

    case: str
    attempt: int
    worker: int = 0


class Progressed(msgspec.Struct, frozen=True):
    """Progress: an attempt of a case has ended."""

    case: str
    attempt: Attempt
    worker: int = 0


ProgressEvent = Planned | Started | Progressed | CaseResult | ClaimVerdict
