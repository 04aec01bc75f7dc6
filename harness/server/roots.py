"""The folders that may be served, and the only way from a URL path to a file in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from harness.errors import Problem, ServerError, UserError
from harness.server import sidecar
from harness.server.controls import Given, layered

TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".txt": "text/plain",
    ".vtt": "text/vtt",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".xml": "application/xml",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".ico": "image/x-icon",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
    ".otf": "font/otf",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".wasm": "application/wasm",
    ".pdf": "application/pdf",
}


class Refusal(UserError):
    """A request that is answered with an error status."""

    def __init__(self, status: int, problem: Problem) -> None:
        self.status = status
        super().__init__(problem)


def content_type(name: str) -> str:
    """By the ending of a file name."""
    return TYPES.get(Path(name).suffix.lower(), "application/octet-stream")


class Roots:
    """Folders searched in order. A file outside of them is never reached, by whatever spelling or link."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.folders = tuple(folder.resolve() for folder in folders)
        for folder in self.folders:
            if not folder.is_dir():
                raise ServerError(f"the fixture server cannot serve {folder}: it is not a folder")

    def segments(self, path: str) -> list[str]:
        """The decoded parts of a URL path. Raises `Refusal` for one that is not plainly below a root."""
        parts = unquote(path, errors="replace").split("/")[1:]
        if not path.startswith("/") or any(
            part in ("", ".", "..") or "\\" in part or not part.isprintable() for part in parts
        ):
            raise Refusal(403, Problem("not a path below a fixture folder", path=path))
        return parts

    def find(self, path: str) -> Path | None:
        """The file of a URL path, or None. Raises `Refusal` for a path or link that leads out of its root."""
        parts = self.segments(path)
        for folder in self.folders:
            file = folder.joinpath(*parts)
            if not file.is_file():
                continue
            if not file.resolve().is_relative_to(folder):
                raise Refusal(403, Problem("a link that leads out of its fixture folder", str(file), path=path))
            return file
        return None

    def controls(self, path: str) -> list[Given]:
        """What sidecar files say of a URL path: the fixture's own defaults, then routes, the nearest folder last.

        Raises `UserError` when one of them is wrong, or when two of one folder give routes for the same path.
        """
        parts = self.segments(path)
        layers: list[Sequence[Given]] = []
        if file := self.find(path):
            own = file.with_name(file.name + sidecar.SUFFIX)
            if own.is_file():
                layers.append(sidecar.read(own).defaults)
        for depth in range(len(parts)):
            for folder in self.folders:
                layers.append(self._routes(folder.joinpath(*parts[:depth]), "/".join(parts[depth:])))
        return layered(*layers)

    def _routes(self, folder: Path, route: str) -> tuple[Given, ...]:
        found: dict[Path, tuple[Given, ...]] = {}
        for file in sorted(folder.glob(f"*{sidecar.SUFFIX}")):
            if not sidecar.fixture_of(file).is_file():
                raise UserError(sidecar.alone(file))
            routes = sidecar.read(file).routes
            if route in routes:
                found[file] = routes[route]
        if len(found) > 1:
            names = " and ".join(file.name for file in found)
            raise UserError(Problem(f"{names} both give a route for {route}", str(folder)))
        return next(iter(found.values()), ())

    def url_path(self, file: Path) -> str:
        """The URL path of a file. Raises `ServerError` when it is in no root, or hidden by one in an earlier root."""
        real = file.resolve()
        for folder in self.folders:
            if not real.is_relative_to(folder):
                continue
            path = "/" + quote(real.relative_to(folder).as_posix())
            served = self.find(path)
            if served and served.resolve() != real:
                raise ServerError(f"fixture {file} is hidden by {served}, which has the same path in an earlier folder")
            return path
        folders = ", ".join(map(str, self.folders))
        raise ServerError(f"fixture {file} is in none of the folders that the server was given: {folders}")
