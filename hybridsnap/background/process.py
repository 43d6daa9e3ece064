"""The program of the background process: ``python -m hybridsnap.background.process LISTENER FOLDER``.

* LISTENER: the inherited descriptor of the socket that callers connect to.
* FOLDER: of the user's `hybridsnap.background.place.Place`.
* stdout: the process's number, for who starts it. stderr: a log.

The process leaves its parent before it does anything else, so that a caller that lives on has no child to
wait for.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path


def main(listener: str, folder: str) -> None:
    """Leave the parent, and keep browsers until they are not wanted any more."""
    number = os.fork()
    if number:
        os.write(1, str(number).encode("ascii"))
        os._exit(0)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
    # Imported in the process that stays: the caller is told its number at once.
    import trio  # noqa: PLC0415

    from hybridsnap.background.keeper import Keeper  # noqa: PLC0415
    from hybridsnap.background.place import Place  # noqa: PLC0415

    os.chdir("/")  # no folder is kept from being removed
    trio.run(Keeper(Place(Path(folder)), socket.socket(fileno=int(listener))).run)


if __name__ == "__main__":
    main(*sys.argv[1:])
