"""The `sparsam` command."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

import rich_click as click

from sparsam._version import __version__
from sparsam.cli._terminal import SafeContext, adopt, exit_codes, guarded_streams, interrupted_last

# Set by a shell that asks what could come next, or for the script that lets it ask.
COMPLETION = "_SPARSAM_COMPLETE"

# Every command, and the module inside this folder that holds it.
HOMES = {
    "demo": "_demo",
    "roles": "_roles",
    "ledger": "_ledger",
    "explore": "_explore",
    "minimise": "_minimise",
    "attack": "_attack",
    "assess": "_assess",
    "monitor": "_monitor",
    "apply": "_apply",
    "diff": "_diff",
    "anonymise": "release._anonymise",
    "verify": "release._verify",
    "individual": "_individual",
    "form": "collect._form",
    "collect": "collect._collect",
    "export": "collect._export",
    "records": "collect._records",
    "describe": "_describe",
}


class LoadedWhenAsked(MutableMapping[str, click.Command]):
    """Commands by their names, each loaded when it is asked for.

    A service that runs for months holds what it needs in memory, and not what other commands do.

    Parameters
    ----------
    homes : mapping of str to str
        For every command the module inside `sparsam.cli` that holds it.
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = dict(homes)
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module = importlib.import_module(f"sparsam.cli.{self._homes[name]}")
            self._loaded[name] = adopt(getattr(module, name))
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._homes.setdefault(name, "")
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._homes[name]
        self._loaded.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._homes  # without loading it

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


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


cli.commands = LoadedWhenAsked(HOMES)  # not before: a group looks at all when it is made
cli.context_class = SafeContext


def main() -> None:
    """Run the command line."""
    cli(prog_name="sparsam")
