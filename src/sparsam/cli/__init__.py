"""The command line: parse, call, print."""

import sys


def main() -> None:
    """Run the command line; all that it needs is imported here, where Ctrl-C is expected."""
    try:
        from sparsam.cli._main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    run()
