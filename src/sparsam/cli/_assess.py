"""`sparsam assess`: measure a saved generalization, and hold it to its gates."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._options import (
    InputFile,
    json_option,
    quiet_option,
    role_options,
    roles_from,
    seed_option,
)
from sparsam.cli._terminal import (
    accuracy,
    echo_json,
    figure,
    figure_range,
    messages,
    percent,
    tables,
    whole,
)

if TYPE_CHECKING:
    from sparsam.assess import Assessment, GateResult, Limits

GATES = ("max_risk", "max_attribute_risk", "max_utility_loss", "min_class_size")


@click.command()
@click.argument("generalization", type=InputFile)
@click.argument("data", type=InputFile)
@role_options
@click.option("--max-risk", type=click.FloatRange(0), help="Gate: mean share recovered.")
@click.option("--max-attribute-risk", type=click.FloatRange(0), help="Gate: for any attribute.")
@click.option("--max-utility-loss", type=click.FloatRange(0), help="Gate: accuracy lost.")
@click.option("--min-class-size", type=click.IntRange(1), help="Gate: fewest people per record.")
@seed_option
@json_option
@quiet_option
def assess(generalization: Path, data: Path, **options: Any) -> None:
    """Measure utility and risk of a saved GENERALIZATION on the full-resolution DATA.

    Target and personal attributes are those that the generalization was learned for, unless the
    options say otherwise. With gates, the exit code is 1 when one of them fails.
    """
    from sparsam.assess import assess_generalization, check_gates, measure_limits
    from sparsam.attack import task_for
    from sparsam.data import split
    from sparsam.generalization import Generalization

    artifact = Generalization.load(generalization)
    task = task_for(artifact, data, roles_from(options))
    seed = options["seed"]
    console = messages(options["quiet"])
    with console.working(f"Attacking {task.n_rows:,} records …"):
        parts = split(task, random_state=seed)
        limits = measure_limits(parts, seed)
        assessment = assess_generalization(artifact, parts, random_state=seed)
    gates = check_gates(assessment, limits, **{name: options[name] for name in GATES})
    if options["as_json"]:
        echo_json(_plain(assessment, limits, gates))
    else:
        _show(assessment, limits, gates)
    sys.exit(0 if all(gate.passed for gate in gates) else 1)


def _plain(assessment: Assessment, limits: Limits, gates: list[GateResult]) -> dict[str, Any]:
    return {
        **assessment.to_dict(),
        "limits": limits.to_dict(),
        "gates": [gate.to_dict() for gate in gates],
    }


def _show(assessment: Assessment, limits: Limits, gates: list[GateResult]) -> None:
    from rich.table import Table

    # Only what may be published is shown: a terminal is recorded and copied like a report.
    facts, ends = assessment.to_dict(), limits.to_dict()
    table = Table(title="Reconstruction by attribute (A1, test data)", title_justify="left")
    for column in ("attribute", "error", "95 % interval", "naive", "recovered", "model"):
        table.add_column(column, justify="left" if column in ("attribute", "model") else "right")
    for part in sorted(facts["risk"]["parts"], key=lambda part: -(part["recovered"] or 0)):
        table.add_row(
            str(part["attribute"]),
            figure(part["value"]),
            figure_range(part["interval"]),
            figure(part["baseline"]),
            percent(part["recovered"]),
            part["model"],
        )
    tables().print(table)
    sizes = facts["class_sizes"]
    click.echo(
        f"Accuracy {accuracy(facts['utility'])} ({facts['utility']['model']}); "
        f"{accuracy(ends['everything'])} with everything collected, "
        f"{accuracy(ends['nothing'])} with nothing (test data)."
    )
    click.echo(f"Risk: {assessment.risk}")
    click.echo(
        f"{whole(sizes['distinct'])} distinct records among the training part; the rarest stands "
        f"for {whole(sizes['smallest'])} people, {whole(sizes['alone'])} people stand alone."
    )
    for gate in gates:
        verdict = "passed" if gate.passed else "FAILED"
        value = gate.published
        shown = f"{value:.4g}" if isinstance(value, float) else value
        click.echo(f"Gate {verdict}: {gate.gate} {gate.limit:g}, measured {shown}.")
