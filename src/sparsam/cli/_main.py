"""The `sparsam` command."""

from __future__ import annotations

import os
from typing import Any

import rich_click as click

from sparsam._version import __version__
from sparsam.cli._apply import apply
from sparsam.cli._assess import assess
from sparsam.cli._attack import attack
from sparsam.cli._demo import demo
from sparsam.cli._describe import describe
from sparsam.cli._diff import diff
from sparsam.cli._explore import explore
from sparsam.cli._individual import individual
from sparsam.cli._ledger import ledger
from sparsam.cli._minimise import minimise
from sparsam.cli._monitor import monitor
from sparsam.cli._roles import roles
from sparsam.cli._terminal import adopt, exit_codes, guarded_streams, interrupted_last
from sparsam.cli.collect._collect import collect
from sparsam.cli.collect._export import export
from sparsam.cli.collect._form import form
from sparsam.cli.collect._records import records
from sparsam.cli.release._anonymise import anonymise
from sparsam.cli.release._verify import verify

# Set by a shell that asks what could come next, or for the script that lets it ask.
COMPLETION = "_SPARSAM_COMPLETE"


class Commands(click.RichGroup):
    """Commands in which every error is a message and an exit code, never a traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line, with a terminal that only we steer."""
        if os.environ.get(COMPLETION):  # what goes to a shell is no text for a terminal, but bytes
            return super().main(*args, **options)
        with guarded_streams(), interrupted_last():
            return super().main(*args, **options)

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Read what comes before the name of a command."""
        with exit_codes():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        with exit_codes():
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sparsam")
def cli() -> None:
    """Collect less personal data for machine learning, and prove it.

    Start with `sparsam demo`, or with `sparsam roles people.csv -o roles.toml`, which proposes what
    each column is; then `sparsam minimise people.csv --roles roles.toml`.

    Exit codes: 0 done, 1 a requirement or gate is not met, 2 wrong usage or unusable input, 3 too
    few people to tell, 70 an unexpected error, 130 interrupted. SPARSAM_TRACEBACK=1 in the
    environment says where an unexpected error came from.
    """


for command in (
    demo,
    roles,
    ledger,
    explore,
    minimise,
    attack,
    assess,
    monitor,
    apply,
    diff,
    anonymise,
    verify,
    individual,
    form,
    collect,
    export,
    records,
    describe,
):
    cli.add_command(adopt(command))
adopt(cli)


def main() -> None:
    """Run the command line."""
    cli(prog_name="sparsam")
