"""What the command line prints and writes."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from hybridsnap.errors import HybridsnapError


def write_text(text: str, output: str | None) -> None:
    """Write to stdout or a file, as UTF-8. A reader that has gone away (``| head``) is not an error."""
    data = text.encode(errors="replace")
    if output is not None:
        write_bytes(data, output)
        return
    if sys.stdout is None:
        raise HybridsnapError("stdout is closed; give --output FILE")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The interpreter flushes once more at its end, and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise HybridsnapError(f"stdout could not be written: {error.strerror}") from error


def write_bytes(data: bytes, output: str) -> None:
    """Write a file.

    Raises:
        HybridsnapError: it cannot be written.
    """
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise HybridsnapError(f"{output} could not be written: {error.strerror}") from error


def say(text: str) -> None:
    """Print a line on stderr."""
    if sys.stderr is None:  # it was closed when Python started; print would write to stdout instead
        return
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)
