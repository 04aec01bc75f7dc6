"""Where the pinned `@paulirish/trace_engine` is; it is installed where it was not: `python -m bench.engine`."""

from __future__ import annotations

import asyncio
import sys

from harness.errors import CapabilityError
from harness.run.readers import installed

if __name__ == "__main__":
    try:
        print(asyncio.run(installed("trace_engine")))
    except CapabilityError as lacking:
        sys.exit(str(lacking))
