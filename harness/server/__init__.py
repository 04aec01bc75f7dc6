"""The fixture server: `async with FixtureServer(roots) as server`. Controls are described in `docs/server.md`."""

from harness.server.journal import now_us
from harness.server.server import FixtureServer
from harness.server.sidecar import problems_in

__all__ = ["FixtureServer", "now_us", "problems_in"]
