"""A plot of a few lines on two logarithmic axes, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT, MARGIN = 640, 420, 60
COLORS = ("#888", "#06c", "#c50", "#283", "#908", "#b80")
Point = tuple[float, float]


def plot(series: Mapping[str, Sequence[Point]], across: str, up: str) -> str:
    """Where cost is proportional to size a line has the slope of the dashed one."""
    points = [point for line in series.values() for point in line]
    left, right = _decades(x for x, _ in points)
    low, high = _decades(y for _, y in points)

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            MARGIN + (log10(x) - left) / (right - left) * (WIDTH - 2 * MARGIN),
            HEIGHT - MARGIN - (log10(y) - low) / (high - low) * (HEIGHT - 2 * MARGIN),
        )

    def text(x: float, y: float, words: object, anchor: str = "start", color: str = "black") -> str:
        return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{color}">{escape(str(words))}</text>'

    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
    parts = [f'{head} font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for power in range(left, right + 1):
        x, y = at(10**power, 10**low)
        parts += [f'<path d="M{x:.0f} {y:.0f}V{MARGIN}" stroke="#ddd"/>', text(x, y + 18, f"{10**power:g}", "middle")]
    for power in range(low, high + 1):
        x, y = at(10**left, 10**power)
        parts.append(f'<path d="M{x:.0f} {y:.0f}H{WIDTH - MARGIN}" stroke="#ddd"/>')
        parts.append(text(x - 6, y + 4, f"{10**power:g}", "end"))
    decades = min(right - left, high - low)
    (x, y), (to_x, to_y) = at(10**left, 10**low), at(10 ** (left + decades), 10 ** (low + decades))
    parts.append(f'<path d="M{x:.0f} {y:.0f}L{to_x:.0f} {to_y:.0f}" stroke="#bbb" stroke-dasharray="4 4"/>')
    for (name, line), color in zip(series.items(), COLORS, strict=False):
        if not line:
            continue
        drawn = [at(*point) for point in line]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in drawn)
        parts.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in drawn]
        x, y = drawn[-1]
        parts.append(text(x - 8, y - 8, name, "end", color))
    parts += [text(WIDTH / 2, HEIGHT - 16, across, "middle"), text(MARGIN, 30, up), "</svg>"]
    return "\n".join(parts)


def _decades(values: Iterable[float]) -> tuple[int, int]:
    logs = [log10(value) for value in values if value > 0]
    low, high = floor(min(logs)), ceil(max(logs))
    return low, max(high, low + 1)
