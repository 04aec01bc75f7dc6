"""Baseline files as text: entries put in without a change to what else a file says, comments included."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

from harness.run.rebaseline import Proposal, by_file
from harness.store import write_atomic

_WIDTH = 120
# Text of several words that YAML reads as it stands; anything else is quoted.
_PLAIN = re.compile(r"[A-Za-z][\w,.]* [^:#\n]*(?<!\s)")


def write_baselines(proposals: Iterable[tuple[Proposal, str]], date: str) -> list[Path]:
    """Write entries with their reasons; `date` is ISO 8601. The files that changed. `StoreError` when one cannot be."""
    files = by_file(proposals)
    for file, wanted in files.items():
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        write_atomic(file, updated(text, wanted, date).encode())
    return list(files)


def updated(text: str, proposals: Iterable[tuple[Proposal, str]], date: str) -> str:
    """The text of a file with its entries replaced where they have the same scope, else added at its end."""
    lines = text.splitlines()
    added: list[str] = []
    replaced: dict[int, tuple[int, list[str]]] = {}
    for proposal, reason in proposals:
        entry = entry_lines(proposal, reason, date)
        if proposal.replaces is None:
            added += entry
        else:
            first = proposal.replaces.at.line - 1
            replaced[first] = (_end(lines, first), entry)
    for first, (end, entry) in sorted(replaced.items(), reverse=True):
        lines[first:end] = entry
    if "".join(lines).strip() in ("[]", ""):
        lines = []
    return "\n".join([*lines, *added]) + "\n"


def _end(lines: list[str], first: int) -> int:
    """The line after an entry: the next that is not indented below it."""
    end = first + 1
    while end < len(lines) and lines[end].startswith(" "):
        end += 1
    return end


def entry_lines(proposal: Proposal, reason: str, date: str) -> list[str]:
    """One entry as lines of YAML."""
    lines = [
        f"- claim: {proposal.claim}",
        f"  verdict: {proposal.verdict}",
        f'  versions: "{proposal.versions.text}"',
        f"  modes: [{', '.join(proposal.modes)}]",
        *([f"  raster: {proposal.raster}"] if proposal.raster else []),
        *_reason(" ".join(reason.split())),
    ]
    if proposal.evidence:
        lines.append(f"  evidence: {proposal.evidence}")
    return [*lines, f"  date: {date}"]


def _reason(reason: str) -> list[str]:
    if _PLAIN.fullmatch(reason):
        if len(reason) + 10 <= _WIDTH:
            return [f"  reason: {reason}"]
        folded = textwrap.wrap(reason, _WIDTH - 4, break_long_words=False, break_on_hyphens=False)
        return ["  reason: >-", *(f"    {line}" for line in folded)]
    return [f"  reason: {json.dumps(reason, ensure_ascii=False)}"]
