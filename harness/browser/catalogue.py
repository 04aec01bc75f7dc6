"""The builds of `configs/builds.yaml`: what each is by its own word, and which a word such as `83..101` means."""

from __future__ import annotations

import re
from functools import cache

import msgspec
import yaml

from harness.errors import ConfigError, Problem
from harness.paths import configs_root
from harness.versions import parse_range, parse_version


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One npm package that carries a headless shell for Linux on x86-64."""

    package: str  # name@version
    says: str  # the version that the binary answers
    integrity: str  # sha512-<base64> of the tarball
    note: str = ""

    @property
    def major(self) -> int:
        return parse_version(self.says)[0]

    @property
    def name(self) -> str:
        return self.package.rpartition("@")[0]

    @property
    def version(self) -> str:
        return self.package.rpartition("@")[2]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    playwright_from: int
    branch_points: dict[int, int]
    packages: tuple[Package, ...]


@cache
def _file() -> _File:
    file = configs_root() / "builds.yaml"
    try:
        found = msgspec.convert(yaml.safe_load(file.read_text()), _File)
    except (OSError, yaml.YAMLError, msgspec.ValidationError) as error:
        raise ConfigError(Problem(f"not a catalogue of builds: {error}", str(file))) from None
    if not found.packages:
        raise ConfigError(Problem("no packages", str(file), path="$.packages"))
    return found


def catalogue() -> tuple[Package, ...]:
    """Every package, the preferred one first, then by falling version."""
    return _file().packages


def playwright_from() -> int:
    """The oldest major that Playwright can drive: older ones lack `Browser.setDownloadBehavior`."""
    return _file().playwright_from


def branch_point(major: int) -> int | None:
    """Where the release branch of a major left main: the third number of its versions; None where nobody looked."""
    return _file().branch_points.get(major)


def caveats(version: str) -> list[str]:
    """What a reader must know of a build before a verdict on it says anything of its major."""
    major, _, branch, _ = parse_version(version)
    found = []
    point = _file().branch_points.get(major)
    if point is not None and branch < point:
        found.append(f"cut before the branch point of {major} ({point}): must not decide a version edge")
    if major < playwright_from():
        found.append("cdp-quiet only: Playwright fails at Browser.setDownloadBehavior")
    return found


def remarks(package: Package) -> list[str]:
    """The caveats, a package version that names another Chromium than it holds, and the entry's own note."""
    found = caveats(package.says)
    named = parse_version(package.version)[0]
    if package.name.endswith("/chromium") and named != package.major:
        found.append(f"the package's name says {named}")
    return [*found, *([package.note] if package.note else [])]


def packages_for(text: str) -> list[Package]:
    """`all`, majors, ranges of majors or a whole version; empty when none is listed. `ValueError` for other words."""
    if text == "all":
        return list(catalogue())
    if re.fullmatch(r"\d+(\.\d+)+", text):
        return [one for one in catalogue() if f"{one.says}.".startswith(f"{text}.")]
    wanted = parse_range(text)
    return [one for one in catalogue() if wanted.contains(one.major)]
