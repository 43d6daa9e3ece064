"""The rules of the architecture, read off the source: layers, runtimes, recursion."""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hybridsnap

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(hybridsnap.__file__).parent
#: Packages by layer; within one layer each may import those named before it.
_LAYERS = [
    ["errors", "deadline", "model", "gc_pause", "text", "json_data", "argument_checks"],
    ["protocol"],
    ["injected", "capture"],
    ["render", "act"],
    ["snapshot", "drivers"],
    ["client"],
    [
        "bridge",
        "webarena",
        "service",
        "demo",
        "server",
        "mcp",
        "sync",
        "aio",
        "tool",
        "background",
        "cli",
        "__main__",
    ],
]
_RUNTIMES = {"trio", "asyncio", "anyio", "trio_websocket", "curio"}
#: Files of drivers/ that speak for a foreign driver, and may import its runtime.
_OWN_RUNTIME = {"playwright", "selenium", "cdp_use", "asyncio_driver", "blocking_socket"}
#: Distributions that are imported under another name.
_IMPORTED_AS = {"chrome-devtools-protocol": "cdp"}
#: What an extra brings, and the modules or packages that may import it.
_EXTRAS = {
    "PIL": {"render.labels", "render.masks"},
    "bpe_openai": {"render.tokens"},
    "mcp": {"mcp"},
    "mcp_types": {"mcp"},
    "hypercorn": {"mcp", "server", "service"},
    "ada_url": {"service"},
    "starlette": {"mcp", "server"},
    "prometheus_client": {"server"},
}


def files() -> list[Path]:
    return sorted(_ROOT.rglob("*.py"))


def module(path: Path) -> str:
    """``capture.dom``; the package itself is ``""``."""
    parts = path.relative_to(_ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def place(name: str) -> tuple[int, int]:
    """A module's layer, and its package's number there."""
    package = name.partition(".")[0]
    for layer, packages in enumerate(_LAYERS):
        if package in packages:
            return layer, packages.index(package)
    raise AssertionError(f"{name}: this package is in no layer of the architecture")


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(parsed(path)))


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Every module that is imported, and whether for type checking only."""
    typing_only: set[ast.AST] = set()
    for node in nodes(path):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            typing_only.update(inner for statement in node.body for inner in ast.walk(statement))
    for node in nodes(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node in typing_only
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module == "hybridsnap":
                for alias in node.names:
                    own = (_ROOT / f"{alias.name}.py").exists() or (_ROOT / alias.name).is_dir()
                    yield f"hybridsnap.{alias.name}" if own else "hybridsnap", node in typing_only
            else:
                yield node.module or "", node in typing_only


def test_every_room_stands_on_a_floor() -> None:
    for path in files():
        if module(path):
            place(module(path))


#: Each of its modules holds the actions that its name says.
_NOT_LISTED = {"act.actions"}


def _docstring(path: Path) -> str:
    return ast.get_docstring(parsed(path)) or ""


def test_a_package_names_its_modules() -> None:
    """Its docstring is the map for somebody who looks for a place."""
    missing = []
    for init in _ROOT.rglob("__init__.py"):
        package = module(init)
        if package in _NOT_LISTED:
            continue
        named = {one.rpartition(".")[2] for one in re.findall(r"`([\w.]+)`", _docstring(init))}
        own = {path.stem for path in init.parent.glob("*.py")} - {"__init__", "__main__"}
        missing += [f"{package}: {one}" for one in sorted(own - named)]
    assert missing == []


def test_no_arrow_runs_upward() -> None:
    wrong = []
    for path in files():
        own = module(path)
        if not own:
            continue  # the package hands out names of all layers
        for name, typing_only in imports(path):
            if name == "hybridsnap" and place(own) < place("demo"):
                wrong.append(f"{own} imports the package, which is above all layers")
            if not name.startswith("hybridsnap."):
                continue
            other = name.removeprefix("hybridsnap.")
            same_room = other.partition(".")[0] == own.partition(".")[0]
            # errors.py and deadline.py may name data of their own layer in annotations.
            annotation = typing_only and place(other)[0] == place(own)[0] == 0
            if not same_room and not annotation and place(other) > place(own):
                wrong.append(f"{own} imports {other}")
    assert wrong == []


def graph() -> dict[str, set[str]]:
    """Each module of the package, and the modules of the package that it imports, for type checking too.

    An import of a module also imports the packages that it is in, except those that the importing module is
    in itself: they are being imported already. ``from package import module`` imports both.
    """
    modules = {f"hybridsnap.{module(path)}" for path in files() if module(path)}
    found: dict[str, set[str]] = {}
    for path in files():
        own = f"hybridsnap.{module(path)}"
        names: set[str] = set()
        for node in nodes(path):
            if isinstance(node, ast.Import):
                imported = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported = {str(node.module)} | {
                    f"{node.module}.{alias.name}" for alias in node.names
                } & modules
            else:
                continue
            above = {package for name in imported for package in packages(name)}
            names |= imported | (above - set(packages(own)))
        # An ``__init__`` gathers modules of its own package.
        found[own] = (names & modules) - {own}
    return found


def packages(name: str) -> list[str]:
    """The packages that a module is in, without the outermost: ``hybridsnap.act.actions.spec`` is in two."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(2, len(parts))]


def test_no_import_leads_in_a_circle() -> None:
    """Not even one that only a type checker follows: taking away what stands on nothing leaves nothing."""
    left = graph()
    while free := {name for name, imported in left.items() if not imported & left.keys()}:
        left = {name: imported for name, imported in left.items() if name not in free}
    while unused := left.keys() - set[str]().union(*left.values()):
        left = {name: imported for name, imported in left.items() if name not in unused}
    assert {name: sorted(imported & left.keys()) for name, imported in left.items()} == {}


def test_a_page_is_composed() -> None:
    """Three bases carry public methods of a page; whatever else it does, its parts do."""
    assert len(hybridsnap.Page.__mro__[1:-1]) <= 3


def test_the_engine_imports_no_runtime() -> None:
    wrong = []
    for path in files():
        own = module(path)
        if own and place(own)[0] <= 4 and own.rpartition(".")[2] not in _OWN_RUNTIME:
            wrong += [f"{own}: {name}" for name, _ in imports(path) if name.partition(".")[0] in _RUNTIMES]
    assert wrong == []


def test_below_the_drivers_nothing_waits() -> None:
    waiting = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)
    wrong = []
    for path in files():
        own = module(path)
        if own and place(own)[0] <= 3:
            wrong += [f"{own}:{node.lineno}" for node in nodes(path) if isinstance(node, waiting)]
    assert wrong == []


def calls(function: ast.FunctionDef) -> Iterator[str]:
    """Names that a function calls: ``f()`` and ``self.f()``."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id
            elif (
                isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in {"self", "cls"}
            ):
                yield node.func.attr


@pytest.mark.parametrize("package", ["protocol", "capture", "render"])
def test_nothing_recurses(package: str) -> None:
    """No function calls itself, not even by way of others of its package."""
    called: dict[str, set[str]] = {}
    for path in sorted((_ROOT / package).glob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                called.setdefault(node.name, set()).update(calls(node))
    for name in called:
        reached: set[str] = set()
        open_names = [name]
        while open_names:
            for other in called.get(open_names.pop(), ()):
                assert other != name, f"{package}: {name} calls itself"
                if other not in reached:
                    reached.add(other)
                    open_names.append(other)


def test_only_what_is_declared_is_imported() -> None:
    project = tomllib.loads((_ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.match(r"[\w-]+", one)[0] for one in project["dependencies"]}  # type: ignore[index]  # all match
    declared = {"hybridsnap"} | {_IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}
    wrong = []
    for path in files():
        own = module(path)
        if own.rpartition(".")[2] in _OWN_RUNTIME:
            continue
        for name, typing_only in imports(path):
            top = name.partition(".")[0]
            if typing_only or {own, own.partition(".")[0]} & _EXTRAS.get(top, set()):
                continue
            if top not in declared and top not in sys.stdlib_module_names:
                wrong.append(f"{own}: {name}")
    assert wrong == []
