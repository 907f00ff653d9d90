"""`sparsam assess`: measure a saved generalization, and hold it to its gates."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sparsam.cli._options import (
    InputFile,
    InputTable,
    group_loss_option,
    groups_option,
    json_option,
    memory_option,
    quiet_option,
    role_options,
    roles_from,
    score_option,
    seed_option,
)
from sparsam.cli._tables import show_notes
from sparsam.cli._terminal import (
    NOT_MET,
    TOO_FEW,
    echo_json,
    messages,
    tables,
)

if TYPE_CHECKING:
    from sparsam.assess import Assessment, GateResult, Groups, Limits, Score
    from sparsam.data import Roles
    from sparsam.generalization import Generalization
    from sparsam.report.page import Block

UNTOLD = "–"
GATES = (
    "max_risk",
    "max_attribute_risk",
    "max_utility_loss",
    "min_class_size",
    "max_utility_loss_per_group",
)


@click.command()
@click.argument("generalization", type=InputFile)
@click.argument("data", type=InputTable)
@role_options
@click.option("--max-risk", type=click.FloatRange(0), help="Gate: mean share recovered.")
@click.option("--max-attribute-risk", type=click.FloatRange(0), help="Gate: for any attribute.")
@score_option
@click.option("--max-utility-loss", type=click.FloatRange(0), help="Gate: what the score loses.")
@click.option("--min-class-size", type=click.IntRange(1), help="Gate: fewest people per record.")
@groups_option
@group_loss_option
@seed_option
@memory_option
@json_option
@quiet_option
def assess(generalization: Path, data: Path, **options: Any) -> None:
    """Measure utility and risk of a saved GENERALIZATION on the full-resolution DATA.

    Target and personal attributes are those that the generalization was learned for, unless the
    options say otherwise. With gates, the exit code is 1 when one of them fails, and 3 when none
    does but there are too few people to tell whether all are passed.
    """
    from sparsam.assess import (
        assess_everyone,
        assess_generalization,
        assess_groups,
        check_gates,
        everyone_data,
        groupings,
        measure_limits,
    )
    from sparsam.attack import task_for
    from sparsam.data import draw_people, split
    from sparsam.generalization import Generalization
    from sparsam.report import everyone_blocks
    from sparsam.report.page import print_blocks

    artifact = Generalization.load(generalization)
    roles = roles_from(options)
    seed = options["seed"]
    read = task_for(artifact, data, roles, max_memory=options["max_memory"], random_state=seed)
    task = draw_people(read, random_state=seed)
    console = messages(options["quiet"])
    show_notes(task.table, console, said=False)
    named = options["groups"] or None
    groupings(task, named)  # a name that is wrong is told before the work begins
    with console.working(f"Attacking {task.n_rows:,} records …"):
        parts = split(task, random_state=seed)
        limits = measure_limits(parts, seed, _score(artifact, roles, options["score"]))
        assessment = assess_generalization(artifact, parts, random_state=seed, score=limits.score)
        groups = assess_groups(assessment, limits, parts, named)
        everyone = assess_everyone([artifact], parts, random_state=seed, score=limits.score)
    asked = {name: options[name] for name in GATES}
    gates = check_gates(assessment, limits, groups=groups, **asked)
    if options["as_json"]:
        counted = {"everyone": everyone_data(everyone)} if everyone else {}
        echo_json({**_plain(assessment, limits, gates), "groups": groups.to_dict(), **counted})
    else:
        print_blocks(_blocks(assessment, limits, groups, gates), tables())
        if everyone:
            told = everyone_data(everyone)
            print_blocks(everyone_blocks(told, task.n_rows, limits.score), tables())
    if any(gate.passed is False for gate in gates):
        sys.exit(NOT_MET)
    sys.exit(TOO_FEW if any(gate.passed is None for gate in gates) else 0)


def _score(artifact: Generalization, roles: Roles, score: str) -> str:
    """The score that the user names, or the one that the artifact was chosen by."""
    source = get_current_context().get_parameter_source("score")
    if source is not ParameterSource.DEFAULT:
        return score
    if roles.target is None:
        return str(artifact.about.get("score", score))
    return str(artifact.about.get("scores", {}).get(roles.target, score))


def _plain(assessment: Assessment, limits: Limits, gates: list[GateResult]) -> dict[str, Any]:
    return {
        **assessment.to_dict(),
        "score": {"name": limits.score.name, "why": limits.score.why},
        "limits": limits.to_dict(),
        "evidence": limits.evidence.to_dict(),
        "gates": [gate.to_dict() for gate in gates],
    }


def _blocks(
    assessment: Assessment, limits: Limits, groups: Groups, gates: list[GateResult]
) -> Iterator[Block]:
    from sparsam.report import groups_brief
    from sparsam.report.page import Table, Text, name, number

    # Only what may be published is shown: a terminal is recorded and copied like a report.
    facts, ends = assessment.to_dict(), limits.to_dict()
    utility, sizes = facts["utility"], facts["class_sizes"]
    yield Text("Reconstruction by attribute (A1, test data)")
    yield Table(
        "Reconstruction by attribute",
        ("attribute", *map(number, ("error", "95 % interval", "naive", "recovered")), "model"),
        tuple(
            (
                name(part["attribute"]),
                figure(part["value"]),
                figure_range(part["interval"]),
                figure(part["baseline"]),
                percent(part["recovered"]),
                part["model"],
            )
            for part in sorted(facts["risk"]["parts"], key=lambda part: -(part["recovered"] or 0))
        ),
    )
    score = limits.score
    words = score.kind.words
    yield Text(
        f"{words[0].upper()}{words[1:]} {told(score, utility)} ({utility['model']}); "
        f"{told(score, ends['everything'])} with everything collected, "
        f"{told(score, ends['nothing'])} with nothing (test data)."
        + (f" The score is {words}, since {score.why}." if score.why else "")
    )
    yield from groups_brief(groups.to_dict(), score)
    yield Text(f"Risk: {assessment.risk}")
    yield Text(
        f"{whole(sizes['distinct'])} distinct records among the training part; the rarest stands "
        f"for {whole(sizes['smallest'])} people, {whole(sizes['alone'])} people stand alone."
    )
    if not limits.evidence.enough:
        yield Text(f"These are too few people to tell: {limits.evidence.words}.")
    for gate in gates:
        value = gate.published
        shown = f"{value:.4g}" if isinstance(value, float) else value
        who = (" for ", name(gate.who)) if gate.who else ()
        measured = (f"{gate.gate} {gate.limit:g}, measured {shown}", *who)
        if gate.passed is None:
            known = measured if gate.who else (f"{gate.gate} {gate.limit:g}",)
            yield Text(("Gate open: ", *known, f", {gate.verdict}."))
            continue
        yield Text((f"Gate {'passed' if gate.passed else 'FAILED'}: ", *measured, "."))


def figure(value: float | None) -> str:
    """Write an error.

    Examples
    --------
    >>> figure(0.25), figure(None)
    ('0.250', '–')
    """
    return UNTOLD if value is None else f"{value:.3f}"


def figure_range(ends: Sequence[float | None] | None) -> str:
    """Write an interval of errors.

    Examples
    --------
    >>> figure_range([0.2, 0.3])
    '0.200–0.300'
    """
    return UNTOLD if ends is None else f"{figure(ends[0])}–{figure(ends[1])}"


def percent(value: float | None, decimals: int = 0) -> str:
    """Write a share.

    Examples
    --------
    >>> percent(0.237), percent(0.237, 1), percent(None)
    ('24%', '23.7%', '–')
    """
    return UNTOLD if value is None else f"{value:z.{decimals}%}"


def told(score: Score, utility: Mapping[str, Any]) -> str:
    """Write a published score with its interval.

    Examples
    --------
    >>> from sparsam.assess import Score
    >>> told(Score("accuracy"), {"error": 0.2, "interval": [0.18, 0.22]})
    '80.0% (78.0%–82.0%)'
    >>> told(Score("auc"), {"error": 0.2, "interval": None})
    '0.800'
    """
    if utility["error"] is None:
        return UNTOLD

    def write(error: float) -> str:
        return score.words(error).replace(" %", "%")

    ends = utility["interval"] or (None, None)
    if None in ends:
        return write(utility["error"])
    low, high = sorted(ends, key=score.value)
    return f"{write(utility['error'])} ({write(low)}–{write(high)})"


def whole(count: int | str | None) -> str:
    """Write a count of people, which may be words.

    Examples
    --------
    >>> whole(20000), whole("fewer than 5"), whole(None)
    ('20,000', 'fewer than 5', '–')
    """
    if count is None:
        return UNTOLD
    return count if isinstance(count, str) else f"{count:,}"
