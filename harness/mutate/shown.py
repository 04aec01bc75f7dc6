"""Mutants as files to look at: small traces with their contexts, in folders that `traceproof check` takes."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

import msgspec

from harness.mutate.subject import Key
from harness.mutate.tape import Tape


def files(tapes: Mapping[Key, Tape]) -> dict[Path, bytes]:
    """Relative paths and contents: `<arm>[-<block>].json.gz` with `.context.json` beside it, for each recording."""
    blocks = len({block for _, block in tapes})
    found: dict[Path, bytes] = {}
    for (arm, block), tape in tapes.items():
        name = f"{arm}-{block}" if blocks > 1 else arm
        lines = b",\n".join(msgspec.json.encode(record) for record in tape.written()[0])
        found[Path(f"{name}.json.gz")] = gzip.compress(b'{"traceEvents":[\n' + lines + b"\n]}\n", mtime=0)
        found[Path(f"{name}.context.json")] = msgspec.json.format(msgspec.json.encode(tape.context), indent=1) + b"\n"
    return found
