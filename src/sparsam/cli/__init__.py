"""The command line: parse, call, print."""

from sparsam.cli._main import main as main
