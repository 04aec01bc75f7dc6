"""A recording of any size out of a real one: its events again and again, each time later.

The processes and threads stay the same, as in one long recording of one page. Metadata events stand once. What is
written is Chrome's own JSON, byte by byte, but for `ts`.
"""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path
from typing import Final

import zstandard

from harness.trace.packed import read_bytes

_TOP: Final = rb'"ph":"([^"])","pid":\d+(?:,"(?:s|scope|tdur)":[^,]*)*,"tid":\d+,"ts":(\d+)'
_HEAD: Final = b'{"traceEvents":[\n'


def grow(seed: Path, target: Path, size: int) -> int:
    """Write a trace of at least `size` bytes; how many copies it holds. `ValueError` if the seed is not Chrome's."""
    data = read_bytes(seed)
    events, end, tail = data.removeprefix(_HEAD).rpartition(b'],"metadata":')
    lines = [line.rstrip(b",") + b"," for line in events.splitlines()]
    found = [re.search(_TOP, line) for line in lines]
    if not end or not all(found):
        raise ValueError(f"{seed} is not a recording as Chrome writes it")
    names = [line for line, top in zip(lines, found, strict=True) if top and top[1] == b"M"]
    timed = [(line, top) for line, top in zip(lines, found, strict=True) if top and top[1] != b"M"]
    template = b"\n".join(_with_slot(line, top) for line, top in timed)
    times = [int(top[2]) for _, top in timed]
    span = max(times) - min(filter(None, times)) + 1_000_000
    copies = 0
    with target.open("wb") as file:
        file.write(_HEAD + b"\n".join(names) + b"\n")
        while file.tell() < size:
            body = template % tuple(ts + copies * span if ts else 0 for ts in times)
            file.write((b"\n" if copies else b"") + body)
            copies += 1
        file.seek(-1, 1)
        file.write(end + tail)
    return copies


def _with_slot(line: bytes, top: re.Match[bytes]) -> bytes:
    before, after = line[: top.start(2)], line[top.end(2) :]
    return before.replace(b"%", b"%%") + b"%d" + after.replace(b"%", b"%%")


def pack(source: Path, target: Path) -> None:
    """Write a file packed, by the suffix of its new name."""
    data = source.read_bytes()
    target.write_bytes(gzip.compress(data, 6) if target.suffix == ".gz" else zstandard.compress(data))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["grow", seed, target, size]:
            grow(Path(seed), Path(target), int(size))
        case ["pack", source, target]:
            pack(Path(source), Path(target))
