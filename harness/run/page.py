"""The page's identity: what the nonce told afterwards, and what the recording itself saw before."""

from __future__ import annotations

import msgspec

from harness.trace import Trace, resolve_page
from harness.trace.context import PageIdentity, RecordingContext


def page_of(trace: Trace, context: RecordingContext) -> PageIdentity | None:
    """The identity with the processes that showed the main frame earlier in the recording, by the trace's own events.

    The nonce is taken after the recording, so alone it cannot know that the page had changed its process.
    """
    told = context.page
    if told is None:  # nobody was connected to the browser
        return resolve_page(trace)
    if told.main is None:
        return told
    seen = resolve_page(trace)
    if seen.main is None or seen.main.frame_id != told.main.frame_id:
        return told
    earlier = sorted(seen.pids - {told.main.pid})
    return msgspec.structs.replace(told, earlier_pids=earlier) if earlier else told
