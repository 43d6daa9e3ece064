"""Writes ``hybridsnap/sync.pyi`` and ``aio.pyi`` from the client's source: ``python -m tests.stubs``.

`hybridsnap.bridge.proxies` makes the classes of both when they are imported, which no editor or type checker
can follow. The stubs have every signature with its types and docstring, as the client has them.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import importlib
import inspect
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hybridsnap
from hybridsnap.bridge.proxies import OPENERS, PROXIED, class_docs, docs_for, kind_of, members, name_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from hybridsnap.bridge.proxies import Kind, Style

STYLES: tuple[Style, ...] = ("sync", "aio")
_ROOT = Path(hybridsnap.__file__).parent
_OWN = {proxied.of.__name__ for proxied in PROXIED}
_MANAGERS = {"sync": "AbstractContextManager", "aio": "AbstractAsyncContextManager"}
_ANY_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def path_of(style: Style) -> Path:
    return _ROOT / f"{style}.pyi"


class _Stub:
    """The stub of one style, while it is made."""

    def __init__(self, style: Style) -> None:
        self.style = style
        #: Module → what is imported from it; None for the module itself.
        self.imports: dict[str, set[str | None]] = {}
        self.type_variables: set[str] = set()

    def text(self) -> str:
        classes = [self.class_(proxied.of, proxied.attributes) for proxied in PROXIED]
        functions = [self.function(opener, kind_of(opener)) for opener in OPENERS]
        body = [*classes, *functions]
        if self.type_variables:
            self.imports.setdefault("typing", set()).add("TypeVar")
        names = sorted([*_OWN, *(opener.__name__ for opener in OPENERS)], key=_isort_key)
        parts = [
            "# Written by `python -m tests.stubs` from the client's source: edit that.\n",
            *self.import_lines(),
            f"\n__all__ = {names!r}\n",
            *(f'{name} = TypeVar("{name}")' for name in sorted(self.type_variables)),
            *(ast.unparse(ast.fix_missing_locations(node)) + "\n" for node in body),
        ]
        return "\n".join(parts)

    def import_lines(self) -> Iterator[str]:
        def section(module: str) -> int:
            top = module.partition(".")[0]
            return 0 if top in sys.stdlib_module_names else 2 if top == "hybridsnap" else 1

        last = 0
        for module in sorted(
            self.imports, key=lambda one: (section(one), None not in self.imports[one], one)
        ):
            if section(module) != last:
                yield ""
            last = section(module)
            names = sorted((one for one in self.imports[module] if one is not None), key=_isort_key)
            yield f"from {module} import {', '.join(names)}" if names else f"import {module}"

    def class_(self, of: type, attributes: tuple[str, ...]) -> ast.ClassDef:
        body: list[ast.stmt] = []
        docs = class_docs(self.style, of, attributes)
        if docs:
            body.append(ast.Expr(ast.Constant(docs)))
        body += [self.attribute(of, name) for name in attributes]
        body += [
            self.function(member, kind, name=name_for(self.style, name)) for name, member, kind in members(of)
        ]
        return ast.ClassDef(of.__name__, [], [], body, [])

    def attribute(self, of: type, name: str) -> ast.stmt:
        annotation, module = _attribute_type(of, name)
        returns = self.annotation(annotation, module)
        arguments = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
        body: list[ast.stmt] = [ast.Expr(ast.Constant(...))]
        return ast.FunctionDef(name, arguments, body, [ast.Name("property")], returns)

    def function(self, member: Any, kind: Kind, name: str | None = None) -> ast.stmt:
        function = inspect.unwrap(member.fget if kind == "property" else member)
        source = _source_of(function)
        module = sys.modules[function.__module__]
        arguments = copy.deepcopy(source.args)
        defaults = inspect.signature(function).parameters
        positional = [*arguments.posonlyargs, *arguments.args]
        for argument in [*positional, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
            if argument is not None and argument.annotation is not None:
                argument.annotation = self.annotation(argument.annotation, module)
        with_default = positional[len(positional) - len(arguments.defaults) :]
        arguments.defaults = [_literal(defaults[one.arg].default) for one in with_default]
        arguments.kw_defaults = [
            default and _literal(defaults[one.arg].default)
            for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        ]
        assert source.returns is not None
        returns = self.annotation(self.returned(source.returns, kind), module)
        docs = docs_for(self.style, function.__doc__)
        node = ast.AsyncFunctionDef if kind == "waits" and self.style == "aio" else ast.FunctionDef
        decorators: list[ast.expr] = [ast.Name("property")] if kind == "property" else []
        body: list[ast.stmt] = [ast.Expr(ast.Constant(docs or ...))]
        return node(name or function.__name__, arguments, body, decorators, returns)

    def returned(self, returns: ast.expr, kind: Kind) -> ast.expr:
        """What callers get: of a context manager's generator, the context manager."""
        if kind not in {"async block", "block"}:
            return returns
        assert isinstance(returns, ast.Subscript)
        given = returns.slice.elts[0] if isinstance(returns.slice, ast.Tuple) else returns.slice
        manager = _MANAGERS[self.style] if kind == "async block" else "AbstractContextManager"
        self.imports.setdefault("contextlib", set()).add(manager)
        return ast.Subscript(ast.Name(manager), given)

    def annotation(self, annotation: ast.expr, module: ModuleType) -> ast.expr:
        """The annotation, and what it needs imported."""
        annotation = copy.deepcopy(annotation)
        known = _names_of(module)
        for node in ast.walk(annotation):
            if not isinstance(node, ast.Name) or node.id in _OWN or node.id in _MANAGERS.values():
                continue
            if node.id in known:
                origin, imported = _origin_of(*known[node.id])
                if imported == "TypeVar":
                    node.id = f"_{node.id}"
                    self.type_variables.add(node.id)
                else:
                    self.imports.setdefault(origin, set()).add(imported)
            else:
                assert hasattr(builtins, node.id), f"{module.__name__}: where does {node.id} come from?"
        return annotation


@functools.cache
def _names_of(module: ModuleType) -> dict[str, tuple[str, str | None]]:
    """Where the names that a module uses come from: module and name, no name for a module itself."""
    found: dict[str, tuple[str, str | None]] = {}
    for node in ast.walk(_parsed(module)):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: (alias.name, None) for alias in node.names}
    for node in _parsed(module).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = (module.__name__, node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = (module.__name__, node.target.id)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            made = node.value.func if isinstance(node.value, ast.Call) else None
            variable = isinstance(made, ast.Name) and made.id == "TypeVar"
            found[name] = (module.__name__, "TypeVar" if variable else name)
    return found


def _origin_of(module: str, name: str | None) -> tuple[str, str | None]:
    """Where a name was defined, if it is one of ours and was only handed on."""
    while module.startswith("hybridsnap."):
        before, before_name = _names_of(importlib.import_module(module))[name or ""]
        if before == module:
            return module, before_name
        module, name = before, before_name
    return module, name


@functools.cache
def _parsed(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _source_of(function: Callable[..., Any]) -> ast.FunctionDef | ast.AsyncFunctionDef:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(node, _ANY_FUNCTION)
    return node


def _attribute_type(of: type, name: str) -> tuple[ast.expr, ModuleType]:
    """The type of what a constructor assigns: as annotated, of the argument, or of what is made there."""
    for base in of.__mro__:
        if "__init__" not in vars(base) or base is object:
            continue
        init = _source_of(vars(base)["__init__"])
        module = sys.modules[base.__module__]
        arguments = {one.arg: one.annotation for one in [*init.args.args, *init.args.kwonlyargs]}
        for node in ast.walk(init):
            target: ast.expr
            annotation: ast.expr | None
            if isinstance(node, ast.AnnAssign):
                target, annotation = node.target, node.annotation
            elif isinstance(node, ast.Assign):
                target, value = node.targets[0], node.value
                given = arguments.get(value.id) if isinstance(value, ast.Name) else None
                annotation = value.func if isinstance(value, ast.Call) else given
            else:
                continue
            if isinstance(target, ast.Attribute) and target.attr == name and annotation is not None:
                return annotation, module
    raise AssertionError(f"{of.__name__}.{name}: no constructor says of what type it is")


def _literal(value: object) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def _isort_key(name: str) -> tuple[int, str]:
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name


def text_of(style: Style) -> str:
    """A stub, as it should be."""
    return _Stub(style).text()


def main() -> None:
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent))
    if ruff is None:
        sys.exit("ruff, which formats the stubs, is not installed: make .venv/.installed-check")
    for style in STYLES:
        path = path_of(style)
        path.write_text(text_of(style), encoding="utf-8")
        subprocess.run([ruff, "format", "--quiet", path], check=True)


if __name__ == "__main__":
    main()
