"""The evidence as a static picture: the same lanes and signs as the report's timeline, as SVG.

Text of traces is escaped; the picture has no script and asks for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from harness.evidence.drawing import Drawing, Lane, Role
from harness.units import format_us

ROW, HEAD, AXIS, GAP, LEFT = 18, 18, 46, 6, 4
_LETTER = 6.8  # the width of one at 11 px
_ROLE_COLORS: dict[Role, str] = {"selected": "#0072b2", "missed": "#d55e00", "control": "#00735c"}
_FEW = 4  # tracks: so many are shown whether or not there is evidence on them
_STYLE = """
text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: #2f363e; }
.dim { fill: #565d66; } .strong { fill: #fff; } .bold { font-weight: bold; fill: #1b1f24; }
.slice { fill: #cdd4dc; } .selected { fill: #0072b2; }
.missed { fill: #fff; stroke: #d55e00; stroke-width: 2; stroke-dasharray: 4 2; }
.control { fill: #fff; stroke: #00735c; stroke-width: 2; }
.grid { stroke: #e4e7eb; } .track { stroke: #d5d9de; } .frame { stroke: #b9c0c8; stroke-dasharray: 2 3; }
.mark { stroke: #1b1f24; stroke-dasharray: 5 3; } .window { fill: #0072b2; opacity: 0.07; }
.flow { fill: none; stroke: #7a3f86; } .head { fill: #7a3f86; }
.beside { fill: #1b1f24; paint-order: stroke; stroke: #fff; stroke-width: 4px; }
"""


def to_svg(drawings: Sequence[Drawing], *, title: str, finding: int | None = None, width: int = 1200) -> str:
    """Drawings one above the other on one scale. finding: the expectation whose evidence is marked; None: of all."""
    return _Picture(drawings, finding, width).svg(title)


class _Picture:
    def __init__(self, drawings: Sequence[Drawing], finding: int | None, width: int) -> None:
        self.drawings, self.width = drawings, width
        self.roles = [_roles(drawing, finding) for drawing in drawings]
        self.begin = min(drawing.begin for drawing in drawings)
        self.end = max(max(drawing.end for drawing in drawings), self.begin + 1)
        if finding is not None:
            self._look_at_evidence()

    def svg(self, title: str) -> str:
        under: list[str] = []
        body: list[str] = []
        y = AXIS
        for number, drawing in enumerate(self.drawings):
            head = y
            if len(self.drawings) > 1:
                body.append(_text(LEFT, y + HEAD / 2, drawing.arm, "bold"))
                y += HEAD
            tops: dict[int, float] = {}
            for place, lane in enumerate(drawing.lanes):
                if self._is_shown(number, place):
                    tops[place] = y + HEAD
                    body += self._lane(number, place, lane, y)
                    y += HEAD + lane.rows * ROW + GAP
            body += self._flows(number, tops)
            under += self._under(drawing, head if number else 32, y)
            body += self._marks(drawing, head if number else 16, y)
        height = y + 24
        footer = _text(LEFT, height - 10, f"{title} · zero: {self.drawings[0].origin}{self._left_out()}", "dim")
        parts = [*under, *self._axis(height - 22), *body, footer]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height:.0f}" '
            f'viewBox="0 0 {self.width} {height:.0f}" role="img" aria-label="{escape(title)}">\n'
            f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
            f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
        )

    def _look_at_evidence(self) -> None:
        """From the first to the last event that is marked, with what is around them."""
        marked = [(drawing, place) for drawing, roles in zip(self.drawings, self.roles, strict=True) for place in roles]
        if marked:
            first = min(drawing.ts[place] for drawing, place in marked)
            last = max(drawing.ts[place] + drawing.dur[place] for drawing, place in marked)
            room = max((last - first) * 0.15, (self.end - self.begin) / 40)
            self.begin, self.end = max(first - room, self.begin), min(last + room, self.end)

    def _x(self, time: float) -> float:
        return LEFT + (time - self.begin) / (self.end - self.begin) * (self.width - 2 * LEFT)

    def _is_shown(self, number: int, place: int) -> bool:
        drawing = self.drawings[number]
        lit = any(drawing.lane[event] == place for event in self.roles[number])
        return lit or len(drawing.lanes) <= _FEW or (place == 0 and drawing.lanes[0].label != "")

    def _left_out(self) -> str:
        missing = sum(drawing.present - drawing.drawn for drawing in self.drawings if drawing.longest_left_out)
        longest = max(drawing.longest_left_out for drawing in self.drawings)
        return f" · {missing:,} events are left out, none longer than {format_us(longest)}" if longest else ""

    def _axis(self, bottom: float) -> Iterator[str]:
        step = _nice((self.end - self.begin) / (self.width / 110))
        time = math.ceil(self.begin / step) * step
        while time <= self.end:
            yield _line("grid", self._x(time), 0, bottom)
            words = _tick(0 if abs(time) < step / 1e6 else time)
            if self._x(time) + 3 + len(words) * _LETTER < self.width:
                yield _text(self._x(time) + 3, 9, words, "dim")
            time += step

    def _under(self, drawing: Drawing, top: float, bottom: float) -> Iterator[str]:
        """The windows and frames of one arm, which are no other's."""
        for window in drawing.windows:
            x, right = max(self._x(window.begin), 0), min(self._x(window.end), self.width)
            if right > x:
                yield _rect("window", x, top, right - x, bottom - top)
        for frame in drawing.frames:
            yield _line("frame", self._x(frame), top, bottom)

    def _marks(self, drawing: Drawing, top: float, bottom: float) -> Iterator[str]:
        free = LEFT + len(drawing.arm) * _LETTER * 1.2 if top > HEAD else -math.inf
        for name, time in drawing.marks:
            if self.begin <= time <= self.end:
                x = self._x(time)
                yield _line("mark", x, top, bottom)
                if x > free:
                    yield _text(x + 3, top + 9, name, "bold")
                    free = x + 10 + len(name) * _LETTER * 1.1

    def _lane(self, number: int, place: int, lane: Lane, y: float) -> Iterator[str]:
        yield f'<line class="track" x1="0" x2="{self.width}" y1="{y:.0f}" y2="{y:.0f}"/>'
        yield _text(LEFT, y + HEAD / 2, track_name(lane), "dim")
        drawing, roles = self.drawings[number], self.roles[number]
        taken: set[tuple[int, int]] = set()
        marked: dict[int, list[int]] = {}
        for event in range(drawing.drawn):
            if drawing.lane[event] != place or not self._is_in_view(drawing, event):
                continue
            row = drawing.row[event]
            if event in roles:
                marked.setdefault(row, []).append(event)
                continue
            x, wide = self._extent(drawing, event)
            if wide < 1.2 and (row, int(x)) in taken:
                continue
            taken.add((row, int(x)))
            yield _rect("slice", x, y + HEAD + row * ROW + 1, max(wide, 1.2), ROW - 3)
            yield from _label(drawing.names[drawing.name[event]], x, y + HEAD + row * ROW, wide, "")
        for row, events in marked.items():
            ends = [*(self._extent(drawing, event)[0] for event in events[1:]), float(self.width)]
            for event, free in zip(events, ends, strict=True):
                yield from self._evidence(drawing, event, roles[event], y + HEAD + row * ROW, free)

    def _is_in_view(self, drawing: Drawing, event: int) -> bool:
        return drawing.ts[event] <= self.end and drawing.ts[event] + drawing.dur[event] >= self.begin

    def _extent(self, drawing: Drawing, event: int) -> tuple[float, float]:
        """Left edge and width of the part that is in view."""
        left = max(self._x(drawing.ts[event]), -2.0)
        right = min(self._x(drawing.ts[event] + drawing.dur[event]), self.width + 2.0)
        return left, max(right - left - 1, 0.0)

    def _evidence(self, drawing: Drawing, event: int, role: Role, top: float, free: float) -> Iterator[str]:
        """free: where the next piece of evidence begins; a narrow one has its name beside it, where there is room."""
        x, wide = self._extent(drawing, event)
        point = role == "selected" and drawing.kind[event] == "i"
        if point:
            yield f'<path class="selected" d="M{x:.1f} {top + 1:.1f}l5 8l-5 8l-5-8z"/>'
        else:
            yield _rect(role, x, top + 1, max(wide, 3), ROW - 3)
        name = drawing.names[drawing.name[event]]
        words = f"✕ {name}" if role == "missed" else name
        if wide > 30:
            yield from _label(words, x, top, wide, "strong" if role == "selected" else "")
        elif (beside := x + max(wide, 5) + 4) + len(words) * _LETTER < free:
            yield _text(beside, top + ROW / 2, words, "beside")

    def _flows(self, number: int, tops: dict[int, float]) -> Iterator[str]:
        """Arrows that begin or end at evidence."""
        drawing, roles = self.drawings[number], self.roles[number]
        for i in range(0, len(drawing.flows), 3):
            source, target = drawing.flows[i : i + 2]
            if drawing.lane[source] in tops and drawing.lane[target] in tops and (source in roles or target in roles):
                x = min(self._x(drawing.ts[source] + drawing.dur[source]), self._x(drawing.ts[target]))
                y = tops[drawing.lane[source]] + drawing.row[source] * ROW + ROW / 2
                tox, toy = self._x(drawing.ts[target]), tops[drawing.lane[target]] + drawing.row[target] * ROW + ROW / 2
                bend = max(min(abs(tox - x) / 2, 60), 8)
                curve = f"M{x:.1f} {y:.1f}C{x + bend:.1f} {y:.1f} {tox - bend:.1f} {toy:.1f} {tox:.1f} {toy:.1f}"
                yield f'<path class="flow" d="{curve}"/><path class="head" d="M{tox:.1f} {toy:.1f}l-6-3v6z"/>'


def track_name(lane: Lane) -> str:
    """As Perfetto names it, with DevTools' name behind where it has another."""
    suffix = {"thread": f" {lane.tid}", "async": " (async)"}.get(lane.kind, "")
    return f"{lane.process} › {lane.name}{suffix}" + (f" · {lane.label}" if lane.label else "")


def _roles(drawing: Drawing, finding: int | None) -> dict[int, Role]:
    """Evidence by its place; a near miss is one whatever else looked at it."""
    found: dict[int, Role] = {}
    for role in ("control", "selected", "missed"):
        for one in drawing.highlights:
            if one.role == role and finding in (None, one.finding):
                found |= dict.fromkeys(one.at, one.role)
    return found


def _nice(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(one * power for one in (1, 2, 5, 10) if one * power >= least)


def _tick(us: float) -> str:
    """A round time: `20 ms`."""
    scale, unit = (1e6, "s") if abs(us) >= 1e6 else (1e3, "ms") if abs(us) >= 1e3 else (1, "us")
    return f"{us / scale:g} {unit}" if us else "0"


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" dominant-baseline="middle">{escape(_plain(words))}</text>'


def _plain(words: str) -> str:
    """Without what XML cannot hold."""
    return "".join(letter if letter >= " " and not "\ud800" <= letter <= "\udfff" else "�" for letter in words)


def _label(words: str, x: float, top: float, wide: float, kind: str) -> Iterator[str]:
    most = int((wide - 6) / _LETTER)
    if most >= 3:
        yield _text(x + 4, top + ROW / 2, words if len(words) <= most else f"{words[: most - 1]}…", kind)


def _rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _line(kind: str, x: float, top: float, bottom: float) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.0f}" y2="{bottom:.0f}"/>'
