"""`make bench`: how fast and in how much memory a recording is read, by traceproof and by others, in one session.

Every measurement is a process of its own. Contenders take turns in a round, so that a busy machine is as busy for all
of them; ratios are of one round and their median counts. Written are `bench.json`, `bench.txt` and drawings of the
growth.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

from bench import tables
from bench.draw import plot
from bench.probe import PROBES
from bench.tables import BASE, MB, Row

HERE = Path(__file__).parent
BEYOND = ("check", "compare", "census")  # what has to do with less memory than a large file has bytes
OURS = ("typed events", "whole model", *BEYOND)
# What a form of recording is read with, and from which size on once only. A protobuf file holds three times the events.
FORMS = {"JSON": ("json.gz", "bench.grow", 640), "protobuf": ("pftrace.gz", "bench.grow_proto", 160)}
NODE_MOST = 512 * MB  # the longest string that node has
# What grows, and what is measured of it, in `many.py`: claims by builds are written 2500:8.
_LEDGERS = ("250:8", "2500:2", "2500:8")
MANY: dict[str, dict[str, tuple[str, ...]]] = {
    "expectations on one recording": {"evaluate": ("10", "100", "1000")},
    "claims in files": {"load": ("250", "1000", "4000"), "lint": ("250", "1000", "4000")},
    "verdicts of a ledger": dict.fromkeys(("read", "report", "verify", "merge"), _LEDGERS),
}
DICTS_MOST = 400 * MB  # dicts take ten times the file: more would fill a small machine


def main() -> None:
    options = _options()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    seed = options.seed or _record(out, "JSON")
    sizes = [size for size in (10, 40, 160, 640) if size < options.size] + [options.size]
    files = _files("JSON", seed, out, sizes)
    compared = max((size for size in files if size * MB <= DICTS_MOST), default=min(files))
    told = Told(out, options.rounds, files[compared])

    peers = _rounds("peers", _contenders(files[compared]), options.rounds)
    told.add({"peers": peers}, tables.peers(peers, told.size))
    packed = _rounds("packed", _packed(files[compared]), options.rounds)
    told.add({"packed": packed}, tables.packed(packed))
    _grow("JSON", files, told, options.rounds)
    _grow("protobuf", _files("protobuf", _record(out, "protobuf"), out, sizes), told, options.rounds)
    many = {across: _many(across, jobs, seed, options.rounds) for across, jobs in MANY.items()}
    told.add({"many": many}, tables.many(many))
    for across, lines in many.items():
        series = {name: [(point["number"], point["cpu_s"]) for point in line] for name, line in lines.items()}
        (out / f"growth-{across.split()[0]}.svg").write_text(plot(series, across, "seconds of processor"))
    if not options.reading:
        from bench import cycle, suite  # not before: what this process holds counts in the peaks of those it starts

        print("a cycle of one recording, and a suite by two workers", flush=True)
        running = {"cycle": cycle.measure(), "suite": suite.measure()}
        told.add(running, tables.running(running))
    print(told.text)


class Told:
    """What has been measured so far, in `bench.json` and `bench.txt` after every stage: a killed run loses nothing."""

    def __init__(self, out: Path, rounds: int, file: Path) -> None:
        self.size = file.stat().st_size
        machine = {"cores": os.cpu_count(), "load": os.getloadavg(), "python": sys.version.split()[0]}
        self.out = out
        self._found: dict[str, Any] = {"machine": machine, "rounds": rounds, "bytes": self.size}
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        return "\n\n".join(self._parts)

    def add(self, found: dict[str, Any], table: str) -> None:
        self._found |= found
        self._parts.append(table)
        (self.out / "bench.json").write_text(json.dumps(self._found, indent=1))
        (self.out / "bench.txt").write_text(self.text + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--size", type=int, default=160, metavar="MB", help="of the largest recording")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reading", action="store_true", help="only how recordings are read; no cycle and no suite")
    parser.add_argument("--seed", type=Path, help="a recording of Chrome's as JSON, instead of a new one")
    parser.add_argument("--out", type=Path, default=Path("out/bench"))
    return parser.parse_args()


def _record(out: Path, form: str) -> Path:
    """A recording of a busy page, made once."""
    suffix = FORMS[form][0]
    target = out / f"seed.{suffix}"
    if not target.is_file():
        folder = out / "recorded"
        shutil.rmtree(folder, ignore_errors=True)
        words = ["record", str(HERE / "busy.scenario.yaml"), "--out", str(folder)]
        words += ["--recorder", "perfetto"] if form == "protobuf" else []
        subprocess.run([sys.executable, "-m", "harness.cli", *words], check=True)
        shutil.copyfile(next((folder / "recordings").rglob(f"*.{suffix}")), target)
    return target


def _files(form: str, seed: Path, out: Path, sizes: Sequence[int]) -> dict[int, Path]:
    """Recordings of these MB, without those that are as large as the one before: the seed itself, again."""
    suffix, grow, _ = FORMS[form]
    found: dict[int, Path] = {}
    for size in sizes:
        print(f"a {form} recording of {size} MB", flush=True)
        file = out / f"{size}MB.{suffix.removesuffix('.gz')}"
        if not file.is_file() or file.stat().st_mtime < seed.stat().st_mtime:
            _apart(grow, "grow", str(seed), str(file), str(size * MB))
        if file.stat().st_size not in [other.stat().st_size for other in found.values()]:
            found[size] = file
    return found


def _apart(*words: str) -> None:
    """In a process of its own: this one's memory would be part of the peak of every process that it starts."""
    subprocess.run([sys.executable, "-m", *words], check=True)


def _probe(what: str, file: Path) -> list[str]:
    return [sys.executable, "-m", "bench.probe", what, str(file)]


def _contenders(file: Path) -> dict[str, list[str]]:
    found = {name: _probe(name, file) for name in (BASE, "orjson.loads", *OURS)}
    if file.stat().st_size < NODE_MOST and shutil.which("node"):
        node = ["node", "--max-old-space-size=12000", str(HERE / "peers.mjs")]
        found["node JSON.parse"] = [*node, "parse", str(file)]
        asked = subprocess.run([sys.executable, "-m", "bench.engine"], capture_output=True, text=True)
        if asked.returncode:
            print(f"without trace_engine: {asked.stderr.strip()}")
        else:
            found["trace_engine"] = [*node, "engine", str(file), asked.stdout.strip()]
    return found


def _packed(file: Path) -> dict[str, list[str]]:
    found = {"unpacked plain": _probe("unpacked", file), "typed events plain": _probe("typed events", file)}
    for suffix in (".gz", ".zst"):
        packed = file.with_suffix(f".json{suffix}")
        if not packed.is_file() or packed.stat().st_mtime < file.stat().st_mtime:
            _apart("bench.grow", "pack", str(file), str(packed))
        for what in ("library", "unpacked", "typed events"):
            found[f"{what} {suffix}"] = _probe(what, packed)
    return found


def _grow(form: str, files: dict[int, Path], told: Told, rounds: int) -> None:
    once = FORMS[form][2]
    rows = {
        size: _rounds(f"{form}, {size} MB", _growing(form, file, size), rounds if size < once else 1)
        for size, file in files.items()
    }
    told.add({f"growth of {form}": {str(size): row for size, row in rows.items()}}, tables.growth(form, rows, files))
    for what, unit in (("cpu_s", "seconds of processor"), ("peak_mb", "MB at the peak")):
        series = {
            name: [(files[size].stat().st_size / MB, row[name][what]) for size, row in rows.items() if name in row]
            for name in PROBES
        }
        shown = {name: line for name, line in series.items() if line}
        (told.out / f"growth-{form}-{what}.svg").write_text(plot(shown, f"MB of a {form} recording", unit))


def _growing(form: str, file: Path, size: int) -> dict[str, list[str]]:
    """What is measured at each size: what takes ten times the file only where a small machine has that."""
    names = BEYOND if form == "protobuf" else (BASE, *OURS) if size * MB <= DICTS_MOST else ("typed events", *BEYOND)
    return {name: _probe(name, file) for name in names}


def _many(across: str, jobs: dict[str, tuple[str, ...]], seed: Path, rounds: int) -> dict[str, list[Row]]:
    """For each job: what it takes for each number, smallest first."""
    command = [sys.executable, "-m", "bench.many"]
    contenders = {
        f"{job} {number}": [*command, job, number, *([str(seed)] if job == "evaluate" else [])]
        for job, numbers in jobs.items()
        for number in numbers
    }
    found = _rounds(across, contenders, rounds)
    return {
        job: [{"number": prod(map(int, number.split(":"))), **found[f"{job} {number}"]} for number in numbers]
        for job, numbers in jobs.items()
    }


def _rounds(stage: str, contenders: dict[str, list[str]], rounds: int) -> dict[str, Row]:
    runs: dict[str, list[Row]] = {name: [] for name in contenders}
    for number in range(rounds):
        names = list(contenders)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            row = _measured(contenders[name], name)
            runs[name].append(row)
            told = f"{row['cpu_s']:.2f} s of processor, {row['peak_mb']:.0f} MB"
            print(f"{stage}, round {number + 1} of {rounds}: {name}: {told}", flush=True)
    medians: dict[str, Row] = {}
    for name, found in runs.items():
        medians[name] = {key: statistics.median(row[key] for row in found) for key in ("wall_s", "cpu_s", "peak_mb")}
        medians[name]["runs"] = found
        if BASE in runs:
            for key in ("wall_s", "cpu_s"):
                pairs = zip(found, runs[BASE], strict=True)
                medians[name][f"{key[:-2]}_ratio"] = statistics.median(own[key] / base[key] for own, base in pairs)
    return medians


def _measured(command: Sequence[str], name: str) -> Row:
    """What a process says of its time, and what the system says of its memory."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{name} failed: {' '.join(command)}")
    return {**json.loads(out), "peak_mb": usage.ru_maxrss * 1024 / MB}


if __name__ == "__main__":
    main()
