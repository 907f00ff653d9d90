"""The `sparsam` command."""

from __future__ import annotations

from typing import Any

import rich_click as click

from sparsam._errors import SparsamError
from sparsam._version import __version__
from sparsam.cli._anonymise import anonymise
from sparsam.cli._apply import apply
from sparsam.cli._assess import assess
from sparsam.cli._attack import attack
from sparsam.cli._console import complain
from sparsam.cli._demo import demo
from sparsam.cli._describe import describe
from sparsam.cli._explore import explore
from sparsam.cli._individual import individual
from sparsam.cli._ledger import ledger
from sparsam.cli._minimise import minimise
from sparsam.cli._verify import verify

USAGE_ERROR = 2


class Commands(click.RichGroup):
    """Commands in which an error of the user's is a message, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader of the output has left; click ends quietly
            raise
        except (SparsamError, OSError) as error:
            complain(error)
            ctx.exit(USAGE_ERROR)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sparsam")
def cli() -> None:
    """Collect less personal data for machine learning, and prove it.

    Start with `sparsam demo`, or with `sparsam minimise people.csv --target employed`.

    Exit codes: 0 done, 1 a requirement or gate is not met, 2 wrong usage or unusable input.
    """


for command in (
    demo,
    ledger,
    explore,
    minimise,
    attack,
    assess,
    apply,
    anonymise,
    verify,
    individual,
    describe,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line."""
    cli(prog_name="sparsam")
