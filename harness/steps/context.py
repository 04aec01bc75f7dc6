"""Everything that the steps of one recording work on and leave behind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from harness.browser import Controlled, QuietBrowser, Running
from harness.errors import StepError
from harness.scenario.runtime import parse_steps, returned
from harness.server import FixtureServer, now_us
from harness.steps.alone import AlonePage
from harness.steps.driven import DrivenPage
from harness.steps.page import StepPage
from harness.steps.quiet import QuietPage
from harness.trace.context import Mark

FIRST_PAGE = "main"  # how `use_page` names the page that the steps begin with
P = TypeVar("P")
Hook = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class StepContext:
    """`variables` are the run-time names (`fixture.url`); `values` is what steps returned under their `as:`.

    `start_recording` and `stop_recording` are called by the steps of these names. `timeout_s` bounds a step that states
    no `timeout:` of its own; what a `settle` sleeps comes on top.
    """

    launched: Running
    page: StepPage
    pages: dict[str, StepPage]
    server: FixtureServer | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    start_recording: Hook | None = None
    stop_recording: Hook | None = None
    timeout_s: float = 30.0
    opened_us: float = field(default_factory=now_us)

    @classmethod
    async def open(cls, launched: Controlled[P], page: P, **others: Any) -> StepContext:
        """Take hold of the page. Call it before the recording starts: under Playwright it enables the Page domain of a
        new session."""
        taken = await launched.watch(_take(launched, page))
        return cls(launched, taken, {FIRST_PAGE: taken}, **others)

    @classmethod
    def alone(cls, launched: Running, server: FixtureServer, timeout_s: float = 30.0, **others: Any) -> StepContext:
        """For a browser that nobody is connected to."""
        page = AlonePage(server=server, since_us=now_us(), timeout_s=timeout_s)
        return cls(launched, page, {FIRST_PAGE: page}, server=server, timeout_s=timeout_s, **others)

    @property
    def browser(self) -> Controlled[Any]:
        """The browser, to be told something; `StepError` where nobody is connected to it."""
        if isinstance(self.launched, Controlled):
            return self.launched
        raise StepError("no client is connected to the browser")

    async def open_page(self, url: str = "") -> StepPage:
        """One more page, at `url` when this returns."""
        browser = self.browser
        if url and isinstance(browser, QuietBrowser):
            quiet = QuietPage(browser=browser, page=await browser.open(url))
            await quiet.reached(url, "load")
            return quiet
        opened = await _take(browser, await browser.new_page())
        if url:
            await opened.navigate(url)
        return opened

    def mark(self, name: str) -> None:
        """Note the present moment on the host's clock; the page is not touched."""
        self.marks.append(Mark(name, now_us()))

    def lookup(self, name: str) -> Any:
        """What `${name}` stands for: a variable, or `values.<as>` with a path of keys and list indexes below it."""
        if name in self.variables:
            return self.variables[name]
        root, _, path = name.partition(".")
        if root != "values":
            raise StepError(f"${{{name}}} is not defined; there are {', '.join(sorted(self.variables)) or 'no names'}")
        key = parse_steps(path)[0]
        if key not in self.values:
            known = ", ".join(sorted(self.values)) or "nothing"
            raise StepError(f"${{{name}}}: no step before this one has returned {key!r} (returned so far: {known})")
        found = returned(self.values, path)
        if len(found) != 1:
            raise StepError(f"${{{name}}}: there is no such value in {self.values[key]!r:.200}")
        return found[0]


async def _take(browser: Controlled[Any], page: Any) -> StepPage:
    if isinstance(browser, QuietBrowser):
        return QuietPage(browser=browser, page=page)
    return await DrivenPage.open(page)
