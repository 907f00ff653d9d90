"""Run the command line with `python -m sparsam.cli`."""

from sparsam.cli import main

main()
