"""The wheel's build hook: compiles the loops over every node of a page (`_MODULES`) where a C compiler is.

A compiled module stands beside its source, which it goes before when imported. Whatever hinders compiling,
the install goes on without it: the sources are ordinary Python that does the same. `HYBRIDSNAP_PURE=1` leaves
the compiling out.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKAGE = Path("hybridsnap")
#: Within the package, without suffix. A ``.pxd`` beside one has its C types.
_MODULES = ("protocol/cbor_decoder", "capture/pruning", "capture/ax", "render/tree")

#: Ends a module that is compiled beside a source that may be edited.
_CHECK = """

def _check_source():
    from hashlib import sha256
    from pathlib import Path

    beside = Path(__file__).parent
    found = sha256(b"".join((beside / name).read_bytes() for name in {names!r})).hexdigest()
    if found != {digest!r}:
        raise ImportError(
            f"{{beside / {names[0]!r}}} was edited since it was compiled: `touch` it, and"
            f" `make .venv/.installed` compiles it again (or remove {{__file__}}, and it is run as it stands)"
        )


_check_source()
"""


class CompileLoops(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own parameter
    """See the module."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, for the wheel or, for an editable install, beside the source."""
        package = Path(self.root) / _PACKAGE
        editable = version == "editable"
        if editable:
            # A module of another source must not go before this one, whatever follows.
            for module in _MODULES:
                (package / f"{module}{EXTENSION_SUFFIXES[0]}").unlink(missing_ok=True)
        if os.environ.get("HYBRIDSNAP_PURE"):
            self.app.display_info("hybridsnap: HYBRIDSNAP_PURE is set: nothing is compiled")
            return
        self._scratch = tempfile.mkdtemp()
        try:
            built = _compile(package, Path(self._scratch), editable=editable)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # compilers fail in many ways, all alike here
            self.app.display_warning(f"hybridsnap: nothing is compiled, which works, too: {error}")
            return
        for path in built:
            where = path.relative_to(Path(self._scratch) / "lib" / _PACKAGE)
            if editable:
                shutil.copy(path, package / where)
            else:
                build_data["force_include"][str(path)] = str(_PACKAGE / where)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        """Remove what compiling left."""
        if hasattr(self, "_scratch"):
            shutil.rmtree(self._scratch, ignore_errors=True)


def _compile(package: Path, scratch: Path, *, editable: bool) -> list[Path]:
    """The extension modules, in ``lib`` of `scratch`."""
    from Cython.Build import cythonize  # noqa: PLC0415  # not for a build without compiling
    from setuptools import Distribution, Extension  # noqa: PLC0415  # the same

    extensions = []
    flags = [] if os.name == "nt" else ["-O1", "-g0"]
    for module in _MODULES:
        sources = [path for suffix in (".py", ".pxd") if (path := package / f"{module}{suffix}").exists()]
        place = (scratch / _PACKAGE / module).parent
        place.mkdir(parents=True, exist_ok=True)
        for folder in (place, place.parent):
            (folder / "__init__.py").touch()
        for path in sources:
            shutil.copy(path, place)
        if editable:
            digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
            with (place / sources[0].name).open("a") as copy:
                copy.write(_CHECK.format(names=[path.name for path in sources], digest=digest))
        name = f"{_PACKAGE}.{module.replace('/', '.')}"
        extensions.append(Extension(name, [str(place / sources[0].name)], extra_compile_args=flags))
    modules = cythonize(
        extensions,
        quiet=True,
        build_dir=str(scratch / "c"),
        # Annotations are for the reader and mypy: an int of Python's is no C integer.
        compiler_directives={"language_level": 3, "annotation_typing": False},
    )
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib = str(scratch / "lib")
    command.build_temp = str(scratch / "o")
    command.parallel = True
    command.ensure_finalized()
    command.run()
    return [path for path in (scratch / "lib").rglob("*") if path.is_file()]
