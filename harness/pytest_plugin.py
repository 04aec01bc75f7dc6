"""The pytest plugin: each `*.scenario.yaml` is an item for each build and mode.

Loaded by every pytest run on a machine where traceproof is installed, so nothing but pytest is imported here before a
scenario file is met (`harness/run/session.py` does the work).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from harness.events import CaseResult
    from harness.run.plan import Job
    from harness.run.session import Session

SUFFIX = ".scenario.yaml"
_OUT = "traceproof_out"  # what an xdist controller tells its workers
_VERDICT = "traceproof "  # prefix of the property that carries a verdict
_session_key: pytest.StashKey[Session] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("traceproof", "scenarios of Chrome's trace events")
    group.addoption(
        "--traceproof-browser", action="append", default=[], metavar="WHICH", help="as traceproof run --browser"
    )
    group.addoption(
        "--traceproof-mode", action="append", default=[], metavar="MODE", help="headless, shell, headed or all"
    )
    group.addoption("--traceproof-attempts", type=int, default=None, metavar="N", help="attempts of each scenario")
    group.addoption("--traceproof-out", default=None, metavar="FOLDER", help="default: out/<date and time>")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return ScenarioFile.from_parent(parent, path=file_path) if file_path.name.endswith(SUFFIX) else None


def _lab(config: pytest.Config) -> Session:
    """What all items share, made when the first scenario file is met."""
    if _session_key not in config.stash:
        from harness.run.session import Session

        worker: dict[str, Any] = getattr(config, "workerinput", {})
        out = worker.get(_OUT) or config.getoption("--traceproof-out")
        config.stash[_session_key] = Session(
            browsers=config.getoption("--traceproof-browser"),
            modes=config.getoption("--traceproof-mode"),
            attempts=config.getoption("--traceproof-attempts"),
            out=Path(out) if out else None,
            part=worker.get("workerid", ""),
            start=config.invocation_params.dir,
            command=("pytest", *config.invocation_params.args),
        )
    return config.stash[_session_key]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist: all workers write below one folder."""
    from datetime import datetime

    stamp = datetime.now().astimezone().strftime("%Y-%m-%dT%H-%M-%S")
    own = node.config.getoption("--traceproof-out")
    out = node.config.stash.setdefault(_out_key, own or str(node.config.invocation_params.dir / "out" / stamp))
    node.workerinput[_OUT] = out


_out_key: pytest.StashKey[str] = pytest.StashKey()


class ScenarioFile(pytest.File):
    """A scenario file; a mistake in it is a collection error in our own words."""

    def collect(self) -> Iterable[pytest.Item]:
        from harness.errors import TraceproofError

        try:
            lab = _lab(self.config)
            jobs = lab.jobs(self.path)
        except TraceproofError as error:
            raise self.CollectError(str(error)) from None
        for job in jobs:
            name = f"{job.case.name}[{job.build.major}-{job.mode}]"
            yield ScenarioItem.from_parent(self, name=name, job=job)


class Differs(Exception):
    """A verdict is not the one that was expected; the text explains it."""


class ScenarioItem(pytest.Item):
    """One case on one build and mode."""

    def __init__(self, *, job: Job, **rest: Any) -> None:
        super().__init__(**rest)
        self.job = job
        self.extra_keyword_matches.update(job.case.claims, job.case.tags)

    def runtest(self) -> None:
        from harness.verdict import Verdict

        lab = _lab(self.config)
        result = lab.run(self.job)
        for claim, verdict in result.verdicts.items():
            self.user_properties.append((f"{_VERDICT}{claim}", str(verdict)))
        if surprises := lab.surprises(result):
            raise Differs(_explain(lab, result, surprises))
        if all(word in (Verdict.NOT_APPLICABLE, Verdict.UNSUPPORTED) for word in result.verdicts.values()):
            pytest.skip(_why_skipped(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from harness.errors import TraceproofError

        if isinstance(excinfo.value, Differs | TraceproofError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        # Not the name: pytest would write the dots of one as `::`, and nobody could run what it prints.
        return self.path, self.job.case.at.line - 1, self.job.label


def _explain(lab: Session, result: CaseResult, claims: list[str]) -> str:
    from harness.report import explain_case

    says = {claim: lab.says(claim) for claim in claims}
    told = explain_case(result, claims, says=says, folder=str(lab.folder.path))
    return "\n\n".join("\n".join(lines) for lines in told)


def _why_skipped(result: CaseResult) -> str:
    verdict = next(iter(result.verdicts.values()))
    return f"{verdict}: {result.reason or '; '.join(result.reasons.values())}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A claim that several items decide is not contradicted by one of them alone holding it."""
    jobs = [item.job for item in items if isinstance(item, ScenarioItem)]
    if jobs:
        _lab(config).expect(jobs)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _session_key in session.config.stash:
        session.config.stash[_session_key].close()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    counts = Counter(verdict for _, verdict in _verdicts(terminalreporter))
    if not counts:
        return
    out = config.stash.get(_out_key, "") or (str(_lab(config).folder.path) if _session_key in config.stash else "")
    terminalreporter.section("traceproof")
    terminalreporter.write_line(", ".join(f"{word} {count}" for word, count in sorted(counts.items())))
    terminalreporter.write_line(f"evidence {out}")


def _verdicts(terminalreporter: Any) -> Iterator[tuple[str, str]]:
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                yield from (pair for pair in report.user_properties if str(pair[0]).startswith(_VERDICT))
