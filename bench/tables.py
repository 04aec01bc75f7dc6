"""What `make bench` has measured, as tables to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

BASE = "json.loads"
MB = 1_000_000
Row = dict[str, Any]


def peers(rows: dict[str, Row], size: int) -> str:
    lines = [
        f"{size / MB:.0f} MB of JSON; medians; ratios to {BASE} of the same round",
        f"{'':18}  clock s   cpu s   MB/s  clock ratio  cpu ratio  faster     MB  of file",
    ]
    for name, row in sorted(rows.items(), key=lambda entry: -entry[1]["wall_s"]):
        lines.append(
            f"{name:18}{row['wall_s']:9.2f}{row['cpu_s']:8.2f}{size / MB / row['wall_s']:7.0f}{row['wall_ratio']:13.2f}"
            f"{row['cpu_ratio']:11.2f}{1 / row['wall_ratio']:7.1f}x{row['peak_mb']:7.0f}"
            f"{row['peak_mb'] * MB / size:8.1f}x"
        )
    return "\n".join(lines)


def packed(rows: dict[str, Row]) -> str:
    head = f"{'':18}{'clock s':>9}{'cpu s':>8}{'peak MB':>9}"
    lines = [
        "packed: the decompressor's library alone, as it is read here, and with events; plain files beside it",
        head,
    ]
    lines += [f"{name:18}{row['wall_s']:9.2f}{row['cpu_s']:8.2f}{row['peak_mb']:9.0f}" for name, row in rows.items()]
    return "\n".join(lines)


def growth(form: str, measured: dict[int, dict[str, Row]], files: dict[int, Path]) -> str:
    lines = [f"growth, {form}: microseconds of processor for each KB, and MB at the peak"]
    for size, rows in measured.items():
        kilobytes = files[size].stat().st_size / 1000
        cells = (
            f"{name} {row['cpu_s'] * 1e6 / kilobytes:.1f} us/KB {row['peak_mb']:.0f} MB" for name, row in rows.items()
        )
        lines.append(f"{kilobytes / 1000:6.0f} MB   {'   '.join(cells)}")
    return "\n".join(lines)


def many(measured: dict[str, dict[str, list[Row]]]) -> str:
    lines = ["growth: seconds of processor for each number, and MB at the peak"]
    for across, jobs in measured.items():
        for job, points in jobs.items():
            cells = (f"{one['number']:,}: {one['cpu_s']:.2f} s {one['peak_mb']:.0f} MB" for one in points)
            lines.append(f"{across:32}{job:10}{'   '.join(cells)}")
    return "\n".join(lines)


def running(measured: dict[str, Row]) -> str:
    """What must not be exceeded is in brackets."""
    one, many = measured["cycle"], measured["suite"]
    return "\n".join(
        [
            f"a cycle of one recording, {one['build']} {one['mode']}, {one['pairs']} pairs, load {one['load']:.1f}",
            f"  {one['ratio']:.2f} times a bare Playwright script (1.25): {one['ours_s']:.2f} s, {one['bare_s']:.2f} s",
            f"{len(many['cases'])} cases by two workers, {many['pairs']} pairs, load {many['load']:.1f}",
            f"  {many['ratio']:.2f} times the time of one (0.6): {many['two_s']:.0f} s, {many['one_s']:.0f} s",
        ]
    )
