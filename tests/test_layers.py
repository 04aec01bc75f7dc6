"""Imports go downward only, and public things are described. The allow-list is the one in ARCHITECTURE.md."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HARNESS = ROOT / "harness"


def read_table() -> tuple[set[str], dict[str, set[str]]]:
    """The base modules, and what each package may import, from the table of ARCHITECTURE.md."""
    base, packages = set[str](), dict[str, set[str]]()
    for head, cell in re.findall(r"^\| (.+?) \| (.+?) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.M):
        names = re.findall(r"`(\w+)/`", head)
        if head.startswith("base:"):
            base = set(re.findall(r"\w+", head.partition(":")[2]))
        elif "cli" not in names:
            allowed = cell.partition(";")[0].replace("the base", "").split(", ")
            packages |= {name: {one for one in allowed if one} for name in names}
    return base, packages


BASE, ALLOWED = read_table()
BASE |= {"__init__"}
TOP = {*ALLOWED, "cli"}  # what cli and pytest_plugin may use
MODULES = sorted(HARNESS.rglob("*.py"))


def area(path: Path) -> str:
    return path.relative_to(HARNESS).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import; say harness.…"
            if node.module == "harness":
                yield from ((node.lineno, f"harness.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, node.module or ""


def allowed(importer: str, module: str) -> bool:
    inside = module.removeprefix("harness").removeprefix(".")
    target = inside.partition(".")[0]
    if target in BASE or target in ("", "__version__") or target == importer:
        return True
    if importer in ("cli", "pytest_plugin"):
        return target in TOP
    return any(inside == one or inside.startswith(f"{one}.") or target == one for one in ALLOWED.get(importer, set()))


def test_the_table_names_every_package_and_nothing_else() -> None:
    packages = {path.parent.name for path in HARNESS.glob("*/__init__.py")}
    assert set(ALLOWED) == packages - {"cli"}
    assert {path.stem for path in HARNESS.glob("*.py")} == BASE | {"pytest_plugin"}
    assert {one.partition(".")[0] for allowed in ALLOWED.values() for one in allowed} <= packages


def test_the_table_allows_only_what_is_used() -> None:
    used = {(area(path), module.removeprefix("harness.")) for path in MODULES for _, module in imported(path)}
    idle = {
        f"{package}: {one}"
        for package, allowed in ALLOWED.items()
        for one in allowed
        if not any(user == package and f"{module}.".startswith(f"{one}.") for user, module in used)
    }
    assert not idle


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_downward(path: Path) -> None:
    for line, module in imported(path):
        if module == "harness" or module.startswith("harness."):
            assert allowed(area(path), module), f"{path}:{line}: {area(path)} must not import {module}"


@pytest.mark.parametrize(
    ("package", "areas"),
    [
        ("playwright", {"browser", "record", "steps"}),
        ("pytest", {"pytest_plugin"}),
        ("wsproto", {"cdp"}),
        ("rich", {"report", "cli"}),
    ],
)
def test_outside_packages_stay_in_their_areas(package: str, areas: set[str]) -> None:
    users = {area(path) for path in MODULES for _, module in imported(path) if module.partition(".")[0] == package}
    assert users <= areas


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert not tree.body or ast.get_docstring(tree), f"{path}: no module docstring"


def offered(package: str) -> Iterator[tuple[str, object]]:
    """Everything in a package's `__all__`; of `run`, which offers its modules, what is public in each of them."""
    module = importlib.import_module(f"harness.{package}")
    if package != "run":
        yield from ((name, getattr(module, name)) for name in module.__all__)
        return
    for path in sorted((HARNESS / package).glob("[!_]*.py")):
        part = importlib.import_module(f"harness.{package}.{path.stem}")
        own = {name: thing for name, thing in vars(part).items() if getattr(thing, "__module__", "") == part.__name__}
        yield from ((name, thing) for name, thing in own.items() if not name.startswith("_"))


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_what_a_package_offers_is_described(package: str) -> None:
    """The docstring that `dataclass` makes up is none."""
    for name, thing in offered(package):
        if isinstance(thing, type) or callable(thing):
            told = (thing.__doc__ or "").strip()
            assert told and not told.startswith(f"{name}("), f"harness.{package}: {name} has no docstring"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_stay_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 450, f"{path} does more than one thing"


def test_the_error_tree_in_the_docstring_is_the_real_one() -> None:
    import harness.errors as errors

    drawn = re.findall(r"^[│├└─ ]*(\w+Error)\b", errors.__doc__ or "", re.M)
    real = [name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)]
    assert sorted(drawn) == sorted(real)
