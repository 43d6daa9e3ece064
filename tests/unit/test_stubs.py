"""What editors and type checkers see of `hybridsnap.sync` and `hybridsnap.aio` is what is there."""

from __future__ import annotations

import ast
import importlib
import inspect
from typing import TYPE_CHECKING

import pytest

from hybridsnap.bridge.proxies import OPENERS, PROXIED, members, name_for
from tests.stubs import STYLES, path_of, text_of

if TYPE_CHECKING:
    from hybridsnap.bridge.proxies import Style

both = pytest.mark.parametrize("style", STYLES)


def tree_of(text: str) -> str:
    """A file, whatever its formatting."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = inspect.cleandoc(node.value)
    return ast.dump(tree)


@both
def test_the_stubs_are_those_of_the_client_as_it_is_now(style: Style) -> None:
    written = path_of(style).read_text(encoding="utf-8")
    assert tree_of(written) == tree_of(text_of(style)), "run: python -m tests.stubs"


@both
def test_every_member_is_there_and_in_the_stub(style: Style) -> None:
    module = importlib.import_module(f"hybridsnap.{style}")
    stub = ast.parse(path_of(style).read_text(encoding="utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    for of, attributes in PROXIED:
        proxy = getattr(module, of.__name__)
        expected = {*attributes, *(name_for(style, name) for name, _, _ in members(of))}
        public = {name for name in dir(of) if not name.startswith("_")}
        in_stub = {
            node.name
            for node in classes[of.__name__].body
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        assert in_stub == expected
        assert public <= expected
        assert all(hasattr(proxy, name) for name in expected)
    assert {*module.__all__} == {*classes, *(opener.__name__ for opener in OPENERS)}


@both
def test_signatures_and_words_are_there_at_run_time(style: Style) -> None:
    module = importlib.import_module(f"hybridsnap.{style}")
    for of, _ in PROXIED:
        proxy = getattr(module, of.__name__)
        assert proxy.__module__ == f"hybridsnap.{style}"
        for name, member, kind in members(of):
            if kind == "property":
                continue
            ours = getattr(proxy, name_for(style, name))
            assert inspect.signature(ours) == inspect.signature(member)
            assert inspect.iscoroutinefunction(ours) == (style == "aio" and kind == "waits")
            assert bool(ours.__doc__) == bool(member.__doc__)


def test_nobody_who_blocks_reads_of_awaiting() -> None:
    words = path_of("sync").read_text(encoding="utf-8")
    assert "async " not in words
    assert "await " not in words
    assert "with page.expect_popup() as popup:\n                page.click" in words
