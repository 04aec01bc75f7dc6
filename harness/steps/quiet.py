"""A page that nobody has enabled a domain on.

What cannot be seen without a domain is not waited for by event: the load is asked for with `Runtime.evaluate`, which
needs none and leaves no frame, layout or dispatch behind. With `until: commit` or `none` nobody is ever attached to a
page that was opened at its URL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from harness.browser import QuietBrowser, Target
from harness.cdp import Refused, Session
from harness.errors import StepError
from harness.steps.page import StepPage, detached

_ASK_S = 0.025
_STATES = {"domcontentloaded": ("interactive", "complete"), "load": ("complete",)}
_QUESTION = "[document.readyState, performance.timeOrigin, location.href].join(' ')"


class LazySession:
    """A `Session` that attaches at its first command."""

    def __init__(self, attach: Callable[[], Awaitable[Session]]) -> None:
        self._attach = attach
        self._session: Session | None = None
        self._handlers: list[tuple[str, Callable[[dict[str, Any]], Any]]] = []

    @property
    def attached(self) -> bool:
        return self._session is not None

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """As `Session.send`."""
        if self._session is None:
            self._session = await self._attach()
            for event, handler in self._handlers:
                self._session.on(event, handler)
        return await self._session.send(method, params)

    def on(self, event: str, f: Callable[[dict[str, Any]], Any]) -> None:
        """As `Session.on`."""
        self._handlers.append((event, f))
        if self._session:
            self._session.on(event, f)

    async def detach(self) -> None:
        """As `Session.detach`; nothing to do when it never attached."""
        if self._session:
            await self._session.detach()


@dataclass(eq=False, kw_only=True)
class QuietPage(StepPage):
    """`page` is the target. It is another one after the first navigation of a page that nobody had touched."""

    browser: QuietBrowser
    page: Target
    session: LazySession = field(init=False)
    _cover: Target | None = None

    def __post_init__(self) -> None:
        self.session = LazySession(lambda: self.browser.page_session(self.page))

    async def navigate(self, url: str, until: str = "load") -> None:
        """A page that nobody is attached to is left behind for a new one, which is opened at the URL."""
        before = ""
        if not self.session.attached:
            self.page = await self.browser.open(url)
        elif until == "none":
            detached(self.session.send("Page.navigate", {"url": url}))
        else:
            before = await self._origin()
            answer = await self.session.send("Page.navigate", {"url": url})
            if failure := answer.get("errorText"):
                raise StepError(f"{url} did not load: {failure}")
            if until == "commit" or not answer.get("loaderId"):  # absent for a navigation within the document
                return
        await self.reached(url, until, before)

    async def reached(self, url: str, until: str, before: str = "") -> None:
        """Wait until the page shows another document than `before`, which is loaded as far as `until`."""
        if until == "none" or url.startswith("about:"):
            return
        while not await self._is_there(url, until, before):  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(_ASK_S)

    async def _is_there(self, url: str, until: str, before: str) -> bool:
        if until == "commit":
            pages = {page["targetId"]: page["url"] for page in await self.browser.targets("page")}
            return pages.get(self.page.id, "") not in ("", "about:blank")
        state, origin, shown = (await self._ask() or "  ").split(" ", 2)
        if shown.startswith("chrome-error:"):
            raise StepError(f"{url} did not load: the browser shows an error page")
        return state in _STATES[until] and origin != before and shown not in ("", "about:blank")

    async def _origin(self) -> str:
        return (await self._ask() or "  ").split(" ", 2)[1]

    async def _ask(self) -> str:
        try:
            answer = await self.session.send("Runtime.evaluate", {"expression": _QUESTION, "returnByValue": True})
        except Refused:  # between two documents
            return ""
        return str(answer["result"].get("value", ""))

    async def close(self) -> None:
        await self.session.detach()
        await self.browser.close(self.page)

    async def cover_up(self) -> None:
        self._cover = await self.browser.open("about:blank")
        await self.browser.session.send("Target.activateTarget", {"targetId": self._cover.id})

    async def uncover(self) -> None:
        if self._cover:
            await self.browser.close(self._cover)
            self._cover = None

    async def press(self, key: str) -> None:
        raise StepError("keys have no table in this recorder")

    async def type(self, text: str) -> None:
        raise StepError("keys have no table in this recorder")
