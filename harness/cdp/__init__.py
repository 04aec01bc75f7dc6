"""A small client of the DevTools protocol: one websocket for each session, nothing enabled, nothing sent on its own.

It exists beside Playwright for the recordings in which nobody may have enabled a domain, and for builds that Playwright
cannot drive. `Session` is what both kinds of session can do.
"""

from harness.cdp.client import Refused, Socket
from harness.cdp.session import Session

__all__ = ["Refused", "Session", "Socket"]
