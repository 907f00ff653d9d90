"""`sparsam minimise` with several targets: one generalization that serves all of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sparsam.cli._options import command_line, made_by
from sparsam.cli._tables import STANDARD_OUTPUT, output_name, save_document, show_notes
from sparsam.cli._terminal import (
    NOT_MET,
    TOO_FEW,
    complain,
    counted,
    echo_json,
    messages,
    progress_bar,
    tables,
)

if TYPE_CHECKING:
    from sparsam.data import Roles
    from sparsam.minimise import Constraints

_ONE_TARGET_ONLY = ("max_risk", "with_attacks", "repeats")


class LossLimit(click.ParamType):  # type: ignore[type-arg]
    """What may be lost: one number, or one for each of several targets."""

    name = "limit"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return how it is written."""
        return "LIMIT|TARGET=LIMIT,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | dict[str, float]:
        """Turn the text into a limit, or into limits by target."""
        if not isinstance(value, str):
            return float(value)
        if _number(value) is not None or "=" not in value:
            return self._limit(value, param, ctx)
        limits: dict[str, float] = {}
        # commas inside brackets belong to a target such as 'income in bins(20000, 50000)'
        for part in re.split(r",(?![^(]*\))", value):
            target, _, limit = part.rpartition("=")
            if target.strip() in limits:
                self.fail(f"'{target.strip()}' has more than one limit.", param, ctx)
            limits[target.strip()] = self._limit(limit, param, ctx)
        return limits

    def _limit(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        limit = _number(text)
        if limit is None or not 0 <= limit < float("inf"):
            self.fail(f"'{text}' is not a number of at least 0.", param, ctx)
        return limit


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def single_limit(limit: float | Mapping[str, float] | None, target: str) -> float | None:
    """The limit of one target.

    Parameters
    ----------
    limit : float, mapping of str to float, or None
    target : str

    Examples
    --------
    >>> single_limit({"works": 0.02}, "works"), single_limit(0.01, "works")
    (0.02, 0.01)
    """
    if not isinstance(limit, Mapping):
        return limit
    for name in limit:
        if name != target:
            raise click.UsageError(
                f"--max-utility-loss names '{name}', which is not a target. There is '{target}'."
            )
    return limit[target]


def minimise_for_several(
    data: Path, roles: Roles, constraints: Constraints, options: Mapping[str, Any]
) -> NoReturn:
    """Find what all targets need, say so, save it, and exit: 1 where nothing serves all."""
    from sparsam.assess import NothingFitsError, TooFewPeopleError, minimise_for_purposes
    from sparsam.data import resolve_purposes
    from sparsam.report import purposes_report

    _check_together()
    console = messages(options["quiet"])
    purposes = resolve_purposes(data, roles, look_for_leaks=True)
    together = purposes.together
    wide = counted(len(together.names), "attribute")
    console.print(
        f"Read {counted(together.n_rows, 'record')} with {wide}, for "
        f"{counted(len(purposes.names), 'purpose')}."
    )
    show_notes(together.table, console)
    try:
        with progress_bar(console, "Minimise and attack") as progress:
            choice = minimise_for_purposes(
                purposes,
                max_utility_loss=options["max_utility_loss"],
                confidence=options["confidence"],
                constraints=constraints,
                min_leaf=options["min_leaf"],
                random_state=options["seed"],
                score=options["score"],
                n_jobs=options["jobs"],
                progress=progress,
            )
    except NothingFitsError as error:
        complain(error)
        sys.exit(TOO_FEW if isinstance(error, TooFewPeopleError) else NOT_MET)
    details: dict[str, Any] = {"source": data.name, "command": command_line(), **made_by(options)}
    report = purposes_report(choice, **details)
    for name, what in (("generalization", choice.generalization), ("report", report)):
        path = options["output" if name == "generalization" else "report"]
        if path is not None:
            save_document(what, path)
            console.print(f"Wrote the {name} to {output_name(path, path)}.")
    if options["output"] is None and options["report"] is None:
        console.print("Nothing was saved: -o keeps the generalization, --report the evidence.")
    if options["as_json"]:
        echo_json(choice.to_dict())
    else:
        aside = options["output"] == STANDARD_OUTPUT
        click.echo(report.to_terminal(tables().width), nl=False, err=aside)
    sys.exit(0 if choice.met else TOO_FEW)


def _check_together() -> None:
    context = get_current_context()
    for name in _ONE_TARGET_ONLY:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(known.opts[-1] for known in context.command.params if known.name == name)
            raise click.UsageError(f"{option} goes with one --target only.")
