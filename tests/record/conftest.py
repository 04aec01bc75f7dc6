from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Page

from harness.browser import Launched, launch
from tests.lab import SHELL, build_at


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def launched() -> AsyncIterator[Launched]:
    async with launch(build_at(SHELL), "shell") as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def page(launched: Launched) -> AsyncIterator[Page]:
    page = await launched.new_page()
    yield page
    await page.close()
