"""`sparsam minimise`: find the least data that a task needs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sparsam.cli._minimise_model import minimise_for_model, model_options
from sparsam.cli._options import (
    InputTable,
    OutputFile,
    command_line,
    confidence_option,
    group_loss_option,
    groups_option,
    head_options,
    jobs_option,
    json_option,
    made_by,
    memory_option,
    names_option,
    quiet_option,
    report_option,
    role_options,
    roles_from,
    score_option,
    seed_option,
)
from sparsam.cli._tables import (
    STANDARD_OUTPUT,
    check_alone,
    output_name,
    save_document,
    show_notes,
)
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
from sparsam.cli.minimise._purposes import LossLimit, minimise_for_several, single_limit

if TYPE_CHECKING:
    from sparsam.assess import Choice
    from sparsam.data import Roles
    from sparsam.minimise import Constraints
    from sparsam.report import Report

_WITH_MODEL = (
    "keep_accuracy",
    "kept_in",
    "max_ranges",
    "recoding",
    "questionnaire",
    "trust_model",
    "search",
    "ilag",
)
_WITHOUT_MODEL = (
    "score",
    "max_utility_loss",
    "max_risk",
    "repeats",
    "groups",
    "max_utility_loss_per_group",
    "min_leaf",
    "with_attacks",
    "personal",
    "jobs",
)


@click.command()
@click.argument("data", type=InputTable)
@role_options
@click.option(
    "-o",
    "--output",
    type=OutputFile(".json", pipe=True),
    help="Where to save the generalization (.json, or - for standard output).",
)
@report_option
@score_option
@head_options
@click.option(
    "--max-utility-loss",
    type=LossLimit(),
    help="How much of the score may be lost against everything collected; of accuracy 0.01 is one "
    "point. For several targets one limit, or TARGET=LIMIT,...  [default: 0.01, or the smallest "
    "loss that so many people can show]",
)
@click.option(
    "--max-risk",
    type=click.FloatRange(0, 1),
    help="Instead: share of what the naive adversary gets wrong that may be recovered.",
)
@confidence_option
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="In how many ways the people are divided to decide together.",
)
@groups_option
@group_loss_option
@names_option("--must-keep", help="Keep them at full resolution.")
@names_option("--must-drop", help="Never collect them.")
@names_option("--max-buckets", metavar="NAME=M,...", help="At most M buckets for it.")
@click.option(
    "--min-leaf",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Fewest people in a leaf of a tree.",
)
@click.option(
    "--attack",
    "with_attacks",
    is_flag=True,
    help="Put every adversary, A1 to A8, into the report (takes longer).",
)
@model_options
@seed_option
@memory_option
@click.option(
    "--max-people",
    type=click.IntRange(1000),
    default=300_000,
    show_default=True,
    help="Of more people so many are drawn to learn from and to choose on; all are counted in the "
    "report.",
)
@jobs_option
@json_option
@quiet_option
def minimise(data: Path, **options: Any) -> None:
    """Find the least data that a task or a model needs, and attack what is left.

    Tries many generalizations of DATA, measures utility and risk of each on people who were not
    learned from, and chooses the one that protects most among those shown to keep the permitted
    loss.

    The exit code is 1 when no generalization is shown to keep the loss or risk, and 3 when there
    are too few people to tell.

    With --model, finds instead what a model that already runs needs to answer as it does now.
    """
    from sparsam.report import report_on

    _check_together()
    check_alone(options["output"], "as_json")
    roles = roles_from(options)
    if options["model"] is not None:
        minimise_for_model(data, roles, _constraints(options), options)
    if roles.targets:
        minimise_for_several(data, roles, _constraints(options), options)
    if roles.target is None:
        raise click.UsageError("Missing option '--target' (or a TOML file with --roles).")
    choice = choose(
        data,
        roles,
        loss=single_limit(options["max_utility_loss"], roles.target),
        risk=options["max_risk"],
        confidence=options["confidence"],
        repeats=options["repeats"],
        groups=options["groups"] or None,
        group_loss=options["max_utility_loss_per_group"],
        score=options["score"],
        constraints=_constraints(options),
        min_leaf=options["min_leaf"],
        seed=options["seed"],
        memory=options["max_memory"],
        people=options["max_people"],
        jobs=options["jobs"],
        quiet=options["quiet"],
    )
    details: dict[str, Any] = {"source": data.name, "command": command_line(), **made_by(options)}
    with messages(options["quiet"]).working("Writing the report …"):
        report = report_on(choice, **details)
        shown = report.to_terminal(tables().width)
    save(choice, report, options["output"], options["report"], quiet=options["quiet"])
    if options["as_json"]:
        echo_json(choice.to_dict())
    else:
        click.echo(shown, nl=False, err=options["output"] == STANDARD_OUTPUT)
    if options["with_attacks"]:
        report = report_on(choice, **details, **_attacks(choice, options))
        if options["report"] is not None:
            save(choice, report, None, options["report"], quiet=options["quiet"])
    if options["output"] not in (None, STANDARD_OUTPUT) and choice.generalization.collected:
        name = options["output"].name
        messages(options["quiet"]).print(f"Then: sparsam form {name} -o form.html")
    sys.exit(exit_code(choice))


def exit_code(choice: Choice) -> int:
    """The exit code that says whether the requirement is met."""
    if choice.met is None:
        return TOO_FEW
    return 0 if choice.met else NOT_MET


def _check_together() -> None:
    """Raise unless the options that were given go together."""
    context = get_current_context()
    with_model = context.params["model"] is not None
    for name in _WITHOUT_MODEL if with_model else _WITH_MODEL:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(known.opts[-1] for known in context.command.params if known.name == name)
            how = "does not go together with --model" if with_model else "goes with --model only"
            raise click.UsageError(f"{option} {how}.")
    if context.params["ilag"] is not None and context.params["search"] != "paper":
        raise click.UsageError("--ilag goes with --search paper only.")


def choose(
    data: Any,
    roles: Roles,
    *,
    loss: float | None = None,
    risk: float | None = None,
    confidence: float = 0.95,
    repeats: int = 3,
    groups: Sequence[str] | None = None,
    group_loss: float | None = None,
    score: str = "auto",
    constraints: Constraints | None = None,
    min_leaf: int = 100,
    seed: int = 0,
    memory: int | None = None,
    people: int | None = None,
    jobs: int | None = None,
    quiet: bool = False,
) -> Choice:
    """Sweep and choose, with progress on standard error."""
    from sparsam.assess import NothingFitsError, TooFewPeopleError, groupings, sweep
    from sparsam.data import MOST_PEOPLE, resolve

    if loss is not None and risk is not None:
        raise click.UsageError("Give --max-utility-loss or --max-risk, not both.")
    if risk is not None and group_loss is not None:
        raise click.UsageError("--max-utility-loss-per-group does not go together with --max-risk.")
    console = messages(quiet)
    task = resolve(data, roles, look_for_leaks=True, max_memory=memory, random_state=seed)
    wide = counted(len(task.names), "attribute")
    console.print(f"Read {counted(task.n_rows, 'record')} with {wide}.")
    most = MOST_PEOPLE if people is None else people
    if task.n_rows > most:
        console.print(f"{most:,} of them, drawn at random, are learned from and chosen on.")
    show_notes(task.table, console)
    groupings(task, groups)  # a name that is wrong is told before the work begins
    with progress_bar(console, "Minimise and attack") as progress:
        front = sweep(
            task,
            constraints=constraints,
            min_leaf=min_leaf,
            random_state=seed,
            score=score,
            repeats=repeats,
            max_people=most,
            n_jobs=jobs,
            progress=progress,
        )
    try:
        with console.working("Choosing, and testing the choice …"):
            return front.choose(
                max_utility_loss=loss,
                max_risk=risk,
                confidence=confidence,
                groups=groups,
                max_utility_loss_per_group=group_loss,
            )
    except NothingFitsError as error:
        complain(error)
        sys.exit(TOO_FEW if isinstance(error, TooFewPeopleError) else NOT_MET)


def _attacks(choice: Choice, options: Mapping[str, Any]) -> dict[str, Any]:
    """Every adversary on the choice, and those that reconstruct along the front."""
    from sparsam.assess import attack_along
    from sparsam.attack import Reconstruction, run_attacks

    console = messages(options["quiet"])
    adversary = Reconstruction(random_state=options["seed"])
    with progress_bar(console, "Attack the choice") as progress:
        attacks = run_attacks(
            choice.generalization,
            choice.front.data,
            reconstruction=adversary,
            progress=lambda done, total, name: progress(done, total),
        )
    with progress_bar(console, "Attack along the front") as progress:
        along = attack_along(
            choice.front, reconstruction=adversary, n_jobs=options["jobs"], progress=progress
        )
    return {"attacks": attacks, "along_front": along}


def save(
    choice: Choice,
    report: Report,
    output: Path | None,
    report_to: Path | None,
    *,
    quiet: bool = False,
) -> None:
    """Write the artifact and the report where they are wanted, and say so."""
    console = messages(quiet)
    if output is not None:
        save_document(choice.generalization, output)
        console.print(f"Wrote the generalization to {output_name(output, output)}.")
    if report_to is not None:
        report.save(report_to)
        console.print(f"Wrote the report to {report_to}.")
    if output is None and report_to is None:
        console.print("Nothing was saved: -o keeps the generalization, --report the evidence.")


def _constraints(options: dict[str, Any]) -> Constraints:
    from sparsam.minimise import Constraints

    return Constraints(
        must_keep=options["must_keep"],
        must_drop=options["must_drop"],
        max_buckets=dict(_limit(text) for text in options["max_buckets"]),
    )


def _limit(text: str) -> tuple[str, int]:
    name, sign, number = text.rpartition("=")
    if not sign or not number.strip().isdigit():
        raise click.UsageError(f"--max-buckets must look like NAME=3. Got '{text}' instead.")
    return name.strip(), int(number)
