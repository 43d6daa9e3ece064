"""The modules that are compiled in an install, as Python runs their source; and what both must give."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridsnap.capture import ax
from hybridsnap.capture.roles import CLICKABLE
from hybridsnap.model import BackendNodeId
from hybridsnap.render.tree import render_tree

if TYPE_CHECKING:
    from hybridsnap import Snapshot


def load_source(name: str) -> Any:
    """The module of this name, uncompiled, whichever the package itself uses."""
    module = importlib.import_module(name)
    assert module.__file__ is not None
    source = Path(module.__file__).parent / f"{name.rpartition('.')[2]}.py"
    own_name = f"uncompiled.{name}"
    spec = importlib.util.spec_from_file_location(own_name, source)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[own_name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


_ax = load_source("hybridsnap.capture.ax")
_ax.Pruning = load_source("hybridsnap.capture.pruning").Pruning
_tree = load_source("hybridsnap.render.tree")


def check_as_uncompiled(snapshot: Snapshot) -> None:
    """Rows and outline are made alike, compiled and uncompiled, of what the browser said of each frame."""
    capture = snapshot._capture
    assert capture is not None
    clickable = frozenset(
        BackendNodeId(int(row.id.partition("-")[2]))
        for row in snapshot.rows
        if row.id is not None and CLICKABLE in row.states
    )
    for frame, tree in capture.ax_trees.items():
        session = capture.context.frames[frame].session
        index = None if session is None else capture.indexes[session]
        ordinal = capture.ordinals.by_frame[frame]
        for pierce_shadow in (True, False):
            own, other = (
                build(tree, index, ordinal, pierce_shadow=pierce_shadow, clickable=clickable)
                for build in (ax.build_hierarchical_tree, _ax.build_hierarchical_tree)
            )
            assert own.rows == other.rows
            assert own.backend_node_ids == other.backend_node_ids
            assert (own.urls, own.unknown, own.ax_nodes) == (other.urls, other.unknown, other.ax_nodes)
            assert render_tree(own.rows) == _tree.render_tree(other.rows)
