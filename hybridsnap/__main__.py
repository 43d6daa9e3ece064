"""``python -m hybridsnap`` is the command line."""

import sys

from hybridsnap.cli import main

sys.exit(main())
