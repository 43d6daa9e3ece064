"""The wheel's build hook: compiles ``hybridsnap/protocol/cbor_decoder.py`` where a C compiler is.

The compiled module stands beside the source, which it goes before when imported. Whatever hinders compiling,
the install goes on without it: the source is ordinary Python that does the same. `HYBRIDSNAP_PURE=1` leaves
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

_PACKAGE = Path("hybridsnap", "protocol")
_SOURCES = ("cbor_decoder.py", "cbor_decoder.pxd")


class CompileDecoder(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own parameter
    """See the module."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, for the wheel or, for an editable install, beside the source."""
        package = Path(self.root) / _PACKAGE
        editable = version == "editable"
        if editable:
            # A module of another source must not go before this one, whatever follows.
            (package / f"cbor_decoder{EXTENSION_SUFFIXES[0]}").unlink(missing_ok=True)
        if os.environ.get("HYBRIDSNAP_PURE"):
            self.app.display_info("hybridsnap: HYBRIDSNAP_PURE is set: the CBOR decoder is not compiled")
            return
        self._scratch = tempfile.mkdtemp()
        try:
            built = _compiled(package, Path(self._scratch))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # compilers fail in many ways, all alike here
            self.app.display_warning(
                f"hybridsnap: the CBOR decoder is not compiled, which works, too: {error}"
            )
            return
        if editable:
            shutil.copy(built, package / built.name)
        else:
            build_data["force_include"][str(built)] = str(_PACKAGE / built.name)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        """Remove what compiling left."""
        if hasattr(self, "_scratch"):
            shutil.rmtree(self._scratch, ignore_errors=True)


def _compiled(package: Path, scratch: Path) -> Path:
    """The extension module, in `scratch`."""
    from Cython.Build import cythonize  # noqa: PLC0415  # not for a build without compiling
    from setuptools import Distribution, Extension  # noqa: PLC0415  # the same

    sources = [(package / name).read_bytes() for name in _SOURCES]
    place = scratch / _PACKAGE
    place.mkdir(parents=True)
    for folder in (place, place.parent):
        (folder / "__init__.py").touch()
    # The tests compare this with the source, so that a module of yesterday's source is noticed.
    sources[0] += f'\nSOURCE_DIGEST = "{hashlib.sha256(b"".join(sources)).hexdigest()}"\n'.encode()
    for name, source in zip(_SOURCES, sources, strict=True):
        (place / name).write_bytes(source)
    flags = [] if os.name == "nt" else ["-O2", "-g0"]
    extension = Extension(
        "hybridsnap.protocol.cbor_decoder", [str(place / _SOURCES[0])], extra_compile_args=flags
    )
    modules = cythonize([extension], quiet=True, build_dir=str(scratch / "c"))
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib = str(scratch / "lib")
    command.build_temp = str(scratch / "o")
    command.ensure_finalized()
    command.run()
    (built,) = (scratch / "lib" / _PACKAGE).iterdir()
    return built
