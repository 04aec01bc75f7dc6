"""One measurement in a process of its own: `python -m bench.probe WHAT FILE` prints the seconds of clock and processor.

Reading the file is part of each, starting Python is not. The process's peak memory is measured from outside, by
whoever started it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Probe = Callable[[Path], Any]


def python_json() -> Probe:
    return lambda path: json.loads(path.read_bytes())


def orjson_dicts() -> Probe:
    import orjson

    return lambda path: orjson.loads(path.read_bytes())


def library() -> Probe:
    """The decompressor by itself, on a file in memory."""
    import zstandard
    from zlib_ng import gzip_ng

    unpack = {".gz": gzip_ng.decompress, ".zst": zstandard.ZstdDecompressor().decompress}
    return lambda path: len(unpack[path.suffix](path.read_bytes()))


def unpacked() -> Probe:
    from harness.trace.packed import blocks

    return lambda path: sum(map(len, blocks(path)))


def typed_events() -> Probe:
    from harness.trace.reader import TraceStream, collector_paused

    def read(path: Path) -> int:
        with collector_paused():
            return sum(map(len, TraceStream(path)))

    return read


def whole_model() -> Probe:
    from harness.trace import Trace, load

    def read(path: Path) -> Trace:
        trace = load(path)
        trace.by_name("")  # makes the index
        return trace

    return read


def checked() -> Probe:
    from harness.run.catalog import load_catalog
    from harness.run.check import check_trace

    catalog = load_catalog([Path(__file__).parent])
    cases = [case for case in catalog.cases if case.id == "bench.busy"]
    return lambda path: check_trace(path, cases, "", catalog, [])


def compared() -> Probe:
    from harness.compare import read_side

    return lambda path: read_side(str(path))


def counted() -> Probe:
    from harness.census.tally import tally

    return tally


PROBES: dict[str, Callable[[], Probe]] = {
    "json.loads": python_json,
    "orjson.loads": orjson_dicts,
    "library": library,
    "unpacked": unpacked,
    "typed events": typed_events,
    "whole model": whole_model,
    "check": checked,
    "compare": compared,
    "census": counted,
}


def main(what: str, file: str) -> None:
    probe, path = PROBES[what](), Path(file)
    wall, cpu = time.perf_counter(), time.process_time()
    kept = probe(path)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"wall_s": wall, "cpu_s": cpu}), flush=True)
    del kept


if __name__ == "__main__":
    main(*sys.argv[1:])
