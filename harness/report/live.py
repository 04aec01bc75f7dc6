"""The foot of a terminal while a run goes on: a bar with the time that is left, what each worker does, and the verdicts
so far. It is gone when the run has ended."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from harness.report.words import STYLES
from harness.verdict import Verdict
from harness.wording import plural

_BAR = 40  # columns, at most
_LEAST_BAR = 8  # a smaller one says nothing
# The terminal writes `^C` at the end of the last line; without room it would begin another, which nobody would remove.
_ROOM = 3


class LiveView:
    """Shown as long as it is entered, where the console is a terminal that can move its cursor, and not `quiet`.

    clock: seconds, from whenever.
    """

    def __init__(self, console: Console, *, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self.enabled = console.is_terminal and not console.is_dumb_terminal and not quiet
        self._clock, self._began = clock, clock()
        self._planned: int | None = None
        self._done = 0
        self._running: dict[int, tuple[str, float]] = {}
        self._counts: Counter[Verdict] = Counter()
        self._differ = 0
        self._live = Live(self, console=console, transient=True, refresh_per_second=4)

    def start(self) -> None:
        if self.enabled:
            self._live.start()

    def stop(self) -> None:
        """Take the foot away; harmless where there is none."""
        self._live.stop()

    def plan(self, attempts: int) -> None:
        """So many attempts are to be made, from now on."""
        self._planned, self._done, self._began = attempts, 0, self._clock()

    def fewer(self, attempts: int) -> None:
        """So many of the planned attempts are not needed."""
        self._planned = max(self._done, (self._planned or 0) - attempts)

    def begin(self, worker: int, what: str) -> None:
        """A worker is at this now."""
        self._running[worker] = what, self._clock()

    def end(self, worker: int) -> None:
        """A worker has made an attempt."""
        self._running.pop(worker, None)
        self._done += 1

    def count(self, verdicts: Iterable[Verdict], differ: int) -> None:
        """A case gave these verdicts; so many of them are not the expected ones."""
        self._counts.update(verdicts)
        self._differ += differ

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(1, options.max_width - _ROOM)
        # Above it lines are printed that the terminal is to wrap by itself; here each must be as long as it is counted.
        inner = options.update(width=width, no_wrap=False, overflow="fold")
        for part in self._parts(width):
            yield from console.render(part, inner)

    def _parts(self, width: int) -> Iterator[Table | Text]:
        yield self._bar(width)
        for worker, (what, since) in sorted(self._running.items()):
            who = f"{worker + 1}: " if len(self._running) > 1 else ""
            yield _line(f"{who}{what}", _time(self._clock() - since), width)
        if self._counts:
            yield self._verdicts()

    def _bar(self, width: int) -> Table | Text:
        if self._planned is None:
            return Text("planning")
        times = f"{_time(self._clock() - self._began)}{self._left()}"
        said = f"{self._done} of {plural(self._planned, 'attempt')}  {times}"
        if len(said) > width:
            said = f"{self._done}/{self._planned}  {times}"
        room = min(_BAR, width - len(said) - 2)
        if room < _LEAST_BAR:
            return _line(said, "", width)
        row = Table.grid(padding=(0, 2, 0, 0))
        row.add_row(
            ProgressBar(total=max(1, self._planned), completed=self._done, width=room), Text(said, no_wrap=True)
        )
        return row

    def _left(self) -> str:
        """How long it may still take, by what the attempts so far took."""
        if not self._done or not self._planned or self._done >= self._planned:
            return ""
        return f", {_time((self._clock() - self._began) / self._done * (self._planned - self._done))} left"

    def _verdicts(self) -> Text:
        words = [Text(f"{word} {self._counts[word]}", STYLES[word]) for word in Verdict if self._counts[word]]
        if self._differ:
            words.append(Text(f"{self._differ} not as expected", "bold red"))
        return Text(", ").join(words)


def _line(text: str, end: str, width: int) -> Text:
    """One line of at most `width` columns; what is cut off is of `text`, never of `end`."""
    room = width - len(end) - (2 if end else 0)
    line = Text(text, no_wrap=True)
    line.truncate(max(1, room), overflow="ellipsis")
    return line.append(f"  {end}", "dim") if end and room > 1 else line


def _time(seconds: float) -> str:
    """`8 s`, `3:05`, `1:02:00`"""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
