"""Ten million hostile inputs through the CBOR decoders; one build with a sanitizer; no leak."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hybridsnap
from hybridsnap.protocol.cbor import is_compiled

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not is_compiled(), reason="nothing was compiled when this was installed"),
]
_ROOT = Path(hybridsnap.__file__).parents[1]
#: Of each process; a run that hangs is killed.
_SECONDS = 7200


def _fuzz(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.cbor_fuzz", *arguments],
        cwd=environment.pop("cwd", str(_ROOT)),
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _ended(process: subprocess.Popen[str]) -> str:
    try:
        said, _ = process.communicate(timeout=_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0, said[-5000:]
    return said


def test_ten_million_inputs_are_read_alike_or_refused_alike() -> None:
    total, processes = 10_000_000, os.cpu_count() or 1
    share = -(-total // processes)
    seeds = range(processes)
    running = [_fuzz("--inputs", str(share), "--seed", str(seed)) for seed in seeds]
    for process in running:
        # A tenth of them at least are replies that are read to their end, not refused at once.
        found = re.search(r"of which (\d+) are replies", _ended(process))
        assert found is not None
        assert int(found[1]) > share / 10


def test_a_million_reads_leave_nothing_behind() -> None:
    said = _ended(_fuzz("--inputs", "10000", "--seed", "7", "--cycles", "130"))
    # One reference that is left at each read would be 16 MB at least.
    assert int(said.split()[2]) < 4 * 2**20, said


def test_no_read_is_out_of_bounds(tmp_path: Path) -> None:
    """The decoder as in a wheel, compiled with AddressSanitizer; each string in memory of its own."""
    library = (
        subprocess.run(
            ["gcc", "-print-file-name=libasan.so"], check=False, capture_output=True, text=True
        ).stdout.strip()
        if shutil.which("gcc")
        else ""
    )
    if not Path(library).is_absolute():
        pytest.skip("no AddressSanitizer is here")
    sanitize = "-fsanitize=address -fno-omit-frame-pointer"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(tmp_path),
            str(_ROOT),
        ],
        env={**os.environ, "CC": f"gcc {sanitize}", "LDSHARED": f"gcc -shared {sanitize}"},
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "sanitized"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    (module,) = place.glob("hybridsnap/protocol/cbor_decoder.*.so")
    assert b"__asan_" in module.read_bytes()
    (place / "tests").symlink_to(_ROOT / "tests")
    settings = {
        "LD_PRELOAD": library,
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(place),
        # Python itself leaks at its end; leaks of the decoder are another test's.
        "ASAN_OPTIONS": "detect_leaks=0",
        "cwd": str(place),
    }
    assert "compared" in _ended(_fuzz("--inputs", "1000000", "--seed", "11", **settings))
