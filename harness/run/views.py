"""Things of the lower layers as the ledger writes them."""

from __future__ import annotations

from harness.browser import Build
from harness.events import BuildView


def build_view(build: Build) -> BuildView:
    """A build, without what only this machine needs of it."""
    return BuildView(
        product=build.product, version=build.version, major=build.major, path=str(build.path), source=build.source
    )
