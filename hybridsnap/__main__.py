"""The command line's entry: ``hybridsnap`` and ``python -m hybridsnap``.

The import of the command line takes a moment, in which Ctrl-C would print a traceback: this module imports
nothing of it before Ctrl-C is taken care of.
"""

import os
import signal
import sys

#: As `hybridsnap.service.usage` has it.
_INTERRUPTED = 130


def main() -> int:
    """Run the command line; the exit code."""
    by_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if by_default:
        signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    from hybridsnap.cli import main as run  # noqa: PLC0415 - after the SIGINT handler is set

    try:
        if by_default:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return run()
    except KeyboardInterrupt:  # before the command line itself takes it, or once it is done
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
