"""`sparsam monitor`: later people against the evidence of an artifact."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import rich_click as click

from sparsam.cli._options import (
    SCORES,
    InputFile,
    InputTable,
    OutputFile,
    command_line,
    head_options,
    json_option,
    made_by,
    quiet_option,
    report_option,
    role_options,
    roles_from,
    seed_option,
)
from sparsam.cli._terminal import NOT_MET, TOO_FEW, echo_json, messages, tables


@click.command()
@click.argument("generalization", type=InputFile)
@click.argument("data", type=InputTable)
@click.option(
    "--baseline",
    type=InputTable,
    help="A table of the people that it was learned from.  [default: what the artifact carries]",
)
@click.option(
    "--history",
    type=OutputFile(".json"),
    help="A file of the looks so far: read, and written with this one. Figures only.",
)
@click.option(
    "--look", type=click.IntRange(1), help="The number of this look.  [default: from --history]"
)
@click.option(
    "--max-utility-loss", type=click.FloatRange(0), help="The promise, where it carries none."
)
@click.option("--max-risk", type=click.FloatRange(0, 1), help="Likewise: share recovered at most.")
@click.option("--score", type=click.Choice(SCORES), help="Likewise: what utility is measured by.")
@click.option(
    "--min-change",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.05,
    show_default=True,
    help="The smallest change of a share of people that matters.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="That no alarm is false, over all looks together.",
)
@role_options
@report_option
@head_options
@seed_option
@json_option
@quiet_option
def monitor(generalization: Path, data: Path, **options: Any) -> None:
    """Compare the later people of DATA with the evidence that a GENERALIZATION carries.

    DATA are at full resolution, or generalized records as `sparsam apply` writes them (labels),
    with the target where it is known. Compared are the share of people in each bucket, values that
    nobody had then, what the records tell of the target and, at full resolution, what is lost and
    what can be recovered.

    The exit code is 1 when the promise no longer holds, and 3 when there are too few people to
    tell. Looks may be taken as often as wanted: --history counts them.
    """
    from sparsam.assess import Looks
    from sparsam.assess import monitor as look_at
    from sparsam.generalization import Generalization
    from sparsam.report import day_of, monitor_brief, monitor_report
    from sparsam.report.page import print_blocks

    artifact = Generalization.load(generalization)
    history = options["history"]
    looks = None if history is None else Looks.load(history, artifact)
    console = messages(options["quiet"])
    names = ("baseline", "max_utility_loss", "max_risk", "score", "min_change", "confidence")
    with console.working("Comparing later people …"):
        monitoring = look_at(
            artifact,
            data,
            roles_from(options),
            **{name: options[name] for name in (*names, "look")},
            earlier=() if looks is None else looks.looks,
            random_state=options["seed"],
        )
    if options["report"] is not None:
        details = {"source": data.name, "command": command_line(), **made_by(options)}
        monitor_report(monitoring, **details).save(options["report"])
        console.print(f"Wrote the report to {options['report']}.")
    if looks is not None:
        looks.and_then(monitoring.as_look(day_of(options["date"]))).save(history)
        console.print(f"Wrote look {monitoring.look} to {history}.")
    facts = monitoring.to_dict()
    if options["as_json"]:
        echo_json(facts)
    else:
        print_blocks(monitor_brief(facts), tables())
    sys.exit({"holds": 0, "does not hold": NOT_MET}.get(monitoring.verdict, TOO_FEW))
