"""A census as anyone would write it in a quarter of an hour: json.loads, Counter, sorted. Slow, and plain."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import ceil
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def load(path: Path) -> list[Json]:
    data = path.read_bytes()
    whole = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    records: list[Json] = whole if isinstance(whole, list) else whole["traceEvents"]
    return records


def census(paths: Iterable[Path]) -> dict[str, Json]:
    """What `traceproof census --json` says of each event, but for the bands."""
    counts: Counter[str] = Counter()
    traces: defaultdict[str, set[Path]] = defaultdict(set)
    sets: dict[str, defaultdict[str, Counter[str]]] = {
        key: defaultdict(Counter) for key in ("categories", "phases", "processes", "threads")
    }
    durations: defaultdict[str, list[float]] = defaultdict(list)
    begun: Counter[str] = Counter()
    paths_of: defaultdict[str, Counter[str]] = defaultdict(Counter)
    types_of: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for path in paths:
        records = load(path)
        processes = {one["pid"]: one["args"]["name"] for one in records if one["name"] == "process_name"}
        threads = {(one["pid"], one["tid"]): one["args"]["name"] for one in records if one["name"] == "thread_name"}
        for one in records:
            name = one["name"]
            counts[name] += 1
            traces[name].add(path)
            sets["categories"][name][one.get("cat", "")] += 1
            sets["phases"][name][one["ph"]] += 1
            sets["processes"][name][processes.get(one["pid"], "")] += 1
            sets["threads"][name][threads.get((one["pid"], one["tid"]), "").partition("/")[0]] += 1
        for one in merged(records):
            name = one["name"]
            begun[name] += 1
            if "dur" in one:
                durations[name].append(one["dur"])
            seen: set[tuple[str, str]] = set()
            if isinstance(one.get("args"), dict):
                walk("args", one["args"], seen)
            paths_of[name].update({path for path, _ in seen})
            for where, type_ in seen:
                types_of[name][where][type_] += 1
    return {
        name: {
            "records": count,
            "traces": len(traces[name]),
            **{key: dict(found[name]) for key, found in sets.items()},
            "durations": quantiles(durations[name]),
            "arguments": {
                path: (number, number / begun[name], dict(types_of[name][path]))
                for path, number in paths_of[name].items()
            },
        }
        for name, count in counts.items()
    }


def merged(records: list[Json]) -> list[Json]:
    """Begins get the duration and the arguments of their ends; an end without a begin is left out."""
    out: list[Json] = []
    running: defaultdict[Any, list[Json]] = defaultdict(list)
    for one in sorted(records, key=lambda record: record.get("ts", 0)):
        track: Any = (
            (one["pid"], one["tid"]) if one["ph"] in "BE" else (one.get("cat"), str(one.get("id", one.get("id2"))))
        )
        if one["ph"] in "Bb":
            one = {**one}
            one.pop("dur", None)
            running[track].append(one)
        if one["ph"] in "Ee":
            for begin in reversed(running[track]):
                if begin["name"] == one["name"]:
                    running[track].remove(begin)
                    begin["dur"] = one["ts"] - begin["ts"]
                    begin["args"] = {**begin.get("args", {}), **one.get("args", {})}
                    break
            continue
        if one["ph"] not in "XBb":
            one = {key: value for key, value in one.items() if key != "dur"}
        out.append(one)
    return out


def walk(path: str, value: Any, seen: set[tuple[str, str]]) -> None:
    words = {type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "list"}
    inner = value.items() if isinstance(value, dict) else [("[]", each) for each in value]
    for key, each in inner:
        below = path + "[]" if key == "[]" else f"{path}.*" if named_by_number(key) else f"{path}.{key}"
        seen.add((below, words.get(type(each), "object")))
        if isinstance(each, dict | list):
            walk(below, each, seen)


def named_by_number(key: str) -> bool:
    digits = key.removeprefix("0x")
    hexadecimal = all(letter in "0123456789abcdefABCDEF" for letter in digits)
    return bool(digits) and (key.isdigit() or (hexadecimal and (key.startswith("0x") or len(key) >= 16)))


def quantiles(values: list[float]) -> Json | None:
    if not values:
        return None
    ordered = sorted(values)
    at = {f"p{each}": ordered[ceil(each * len(ordered) / 100) - 1] for each in (5, 25, 50, 75, 95, 99)}
    return {"count": len(ordered), "total": sum(ordered), "least": ordered[0], "most": ordered[-1], **at}
