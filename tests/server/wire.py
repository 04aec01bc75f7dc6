"""A client that shows exactly what came over the wire."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar


@dataclass
class Raw:
    """One connection. `opened` has all of a test; the fixture `clients` closes them."""

    opened: ClassVar[list[Raw]] = []
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def open(cls, port: int) -> Raw:
        raw = cls(*await asyncio.open_connection("127.0.0.1", port))
        cls.opened.append(raw)
        return raw

    def send(self, target: str, *, method: str = "GET", host: str = "127.0.0.1", headers: str = "") -> int:
        """Ask; how many bytes the request has."""
        request = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n".encode()
        self.writer.write(request)
        return len(request)

    async def head(self) -> bytes:
        return await self.reader.readuntil(b"\r\n\r\n")

    async def exactly(self, size: int) -> bytes:
        return await self.reader.readexactly(size)

    async def rest(self) -> bytes:
        return await self.reader.read()

    async def close(self) -> None:
        self.writer.close()


async def fetch(port: int, target: str, **options: str) -> tuple[bytes, bytes]:
    """Head and everything behind it until the server closes."""
    raw = await Raw.open(port)
    raw.send(target, headers=options.pop("headers", "") + "Connection: close\r\n", **options)
    head = await raw.head()
    body = await raw.rest()
    await raw.close()
    return head, body


def fields(head: bytes) -> dict[str, str]:
    """The header fields of a head, names in lower case."""
    lines = head.decode("latin-1").split("\r\n")[1:]
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}


def status(head: bytes) -> int:
    return int(head.split(b" ", 2)[1])
