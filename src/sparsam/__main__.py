"""Run the command line with `python -m sparsam`."""

from sparsam.cli import main

main()
