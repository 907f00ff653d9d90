"""`python -m benchmarks list` and `python -m benchmarks run NAME`: the figures of the papers."""

import sys
from pathlib import Path

# The scripts of this folder import one another by their bare names, as they do when one is run.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from reproduce._command import main

if __name__ == "__main__":
    sys.exit(main())
