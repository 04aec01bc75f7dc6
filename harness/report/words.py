"""Short phrases that every report shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from harness.events import BuildView, ClaimVerdict, Measure
from harness.verdict import Verdict

STYLES = {
    Verdict.HOLDS: "green",
    Verdict.SOMETIMES: "yellow",
    Verdict.REFUTED: "red",
    Verdict.INCONCLUSIVE: "magenta",
    Verdict.NOT_APPLICABLE: "dim",
    Verdict.UNSUPPORTED: "dim",
    Verdict.ERROR: "bold red",
}


_RASTERS = {"software": "", "both": "software and gpu raster"}


def raster_label(raster: str) -> str:
    """Nothing for software, which is what everybody gets who does not ask; `gpu raster`."""
    return _RASTERS.get(raster, f"{raster} raster")


def mode_label(mode: str, raster: str) -> str:
    """`headless`, `shell, gpu raster`"""
    return ", ".join(part for part in (mode, raster_label(raster)) if part)


def bound_label(modes: Iterable[str], raster: str) -> str:
    """What a baseline entry is bound to: `headless and shell, software raster`; empty for one that is about all."""
    how = "software raster" if raster == "software" else raster_label(raster) if raster else ""
    return ", ".join(part for part in (" and ".join(modes), how) if part)


def build_label(build: BuildView, mode: str, raster: str) -> str:
    """`chromium 156.0.8078.108 headless`"""
    return " ".join(part for part in (build.product, build.version, mode_label(mode, raster)) if part)


def tally(verdict: ClaimVerdict) -> str:
    """`2 of 3`, with the interval where attempts disagree or their number was not fixed; empty where none counted."""
    if not verdict.valid:
        return ""
    text = f"{verdict.met} of {verdict.valid}"
    if verdict.verdict is Verdict.SOMETIMES or verdict.sequential:
        text += f" (95 %: {verdict.low:.0%} to {verdict.high:.0%})"
    return text


def counted(verdicts: Iterable[Verdict]) -> str:
    """`HOLDS 12, REFUTED 1`, in the order of the seven words."""
    counts = Counter(verdicts)
    return ", ".join(f"{word} {counts[word]}" for word in Verdict if counts[word])


def note(verdict: ClaimVerdict) -> str:
    """Why a row is as it is: what differs, else what the baseline says, else what was found; and what it costs."""
    if verdict.drift:
        said = [f"expected {verdict.expected}", verdict.reason]
    else:
        said = [verdict.baseline_reason or verdict.reason]
    return "; ".join(part for part in (*said, *map(cost, verdict.costs)) if part)


def cost(measure: Measure) -> str:
    """`asked for ratio >= 3: median 3.35 of 12 (96%: 3.1 to 3.6)`, with the unit where it has one."""
    unit = f" {measure.unit}" if measure.unit else ""
    said = f"{measure.name}: median {measure.median:.4g}{unit}"
    if measure.low is None or measure.high is None or measure.confidence is None:
        return said
    return f"{said} of {len(measure.values)} ({measure.confidence:.0%}: {measure.low:.4g} to {measure.high:.4g})"
