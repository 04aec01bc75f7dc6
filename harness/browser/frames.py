"""A page's frames as the DevTools protocol sees them, those in other processes included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from harness.cdp import Session


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame and the session that reaches it: the page's, or its own where it is in another process."""

    id: str
    url: str
    session: Session


async def frames_of(page: Page) -> list[Frame]:
    """The main frame first, then in the order of the tree, those of other processes last.

    The sessions are the caller's to detach (`detach_all`).
    """
    session = await page.context.new_cdp_session(page)
    frames = await frame_tree(session)
    for child in page.frames[1:]:
        if len(frames) >= len(page.frames):
            break
        try:
            own = await page.context.new_cdp_session(child)
        except PlaywrightError:  # the frame lives in its parent's process
            continue
        frames += await frame_tree(own)
    return frames


async def detach_all(frames: list[Frame]) -> None:
    for session in {frame.session for frame in frames}:
        await session.detach()


async def frame_tree(session: Session) -> list[Frame]:
    """The frames that a session reaches, the outermost first."""

    def walk(node: dict[str, Any]) -> Iterator[Frame]:
        frame = node["frame"]
        yield Frame(frame["id"], frame["url"] + frame.get("urlFragment", ""), session)
        for child in node.get("childFrames", ()):
            yield from walk(child)

    return list(walk((await session.send("Page.getFrameTree"))["frameTree"]))
