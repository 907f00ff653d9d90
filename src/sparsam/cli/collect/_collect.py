"""`sparsam collect`: a service that takes what a generalization allows, and nothing finer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._options import InputFile, quiet_option
from sparsam.cli._terminal import counted, messages
from sparsam.cli.collect._model_options import model_takes_option, trust_model_option
from sparsam.cli.collect._source import check_model_options, opened

if TYPE_CHECKING:
    from sparsam.collect.door import Service

_LOOPBACK = ("127.", "localhost", "::1")


@click.command()
@click.argument("file", type=InputFile)
@click.option(
    "--database",
    required=True,
    metavar="FILE|ADDRESS",
    help="Where records are kept: a SQLite file, or postgresql://…",
)
@click.option(
    "--keep-days",
    required=True,
    type=click.IntRange(1),
    help="After how many days a record is deleted.",
)
@click.option(
    "--mode",
    type=click.Choice(["counts", "rows"]),
    default="counts",
    show_default=True,
    help="Keep how often each record came on each day, or a row for each.",
)
@click.option("--key", type=InputFile, help="The key that receipts are signed with.")
@click.option("--with-target", is_flag=True, help="Collect what the model is to learn, too.")
@click.option(
    "--model",
    type=InputFile,
    help="Answers /predict: .onnx, .skops, or .joblib and .pkl with --trust-model.",
)
@model_takes_option
@click.option(
    "--recoding",
    type=InputFile,
    help="For a model that takes records at full resolution: what `minimise --model` saved. A "
    "questionnaire has its own.",
)
@trust_model_option
@click.option("--no-form", is_flag=True, help="Serve no form.")
@click.option(
    "--language", metavar="CODE|FILE", default="en", show_default=True, help="Of the pages."
)
@click.option("--labels", type=InputFile, help="A TOML file with the pages in your own words.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; 0.0.0.0 for all of this machine.",
)
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8080, show_default=True, help="0 for any."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many processes answer.",
)
@click.option("--check", is_flag=True, help="Open everything, say what would be done, and end.")
@quiet_option
def collect(file: Path, check: bool, quiet: bool, **options: Any) -> None:
    """Collect what FILE, a generalization or a questionnaire, allows, and refuse everything finer.

    Serves the form (/), what a record must look like (/schema), and takes records as JSON or from
    the form (POST /records): of a questionnaire finished interviews. Each gives a receipt, which
    takes the record back (/forget, DELETE /records/RECEIPT). With --model, or where a questionnaire
    knows the answers, POST /predict answers and keeps nothing.

    Nothing is written down but the records: no address, no browser, no time but the day. It
    listens on this machine alone unless --host says otherwise; put a proxy with TLS before it.
    Ctrl-C stops it, once what has come is answered.
    """
    from sparsam.collect import Questionnaire, door

    service = _service(file, options)
    console = messages(quiet)
    names = service.collected.names
    most = "up to " if isinstance(service.source, Questionnaire) else ""
    answers = counted(len(names), "answer")
    console.print(f"Collects {most}{answers} of each person: {', '.join(names)}.")
    console.print(f"Each record is deleted after {counted(service.keep_days, 'day')}.")
    if check:
        door.check(service)
        console.print("Everything is there. Nothing was served, as --check was given.")
        return
    host = options["host"]
    if not host.startswith(_LOOPBACK):
        console.print(
            f"Whoever reaches {host} can send records, and see them on their way unless a proxy "
            "with TLS is before it."
        )

    def ready(url: str) -> None:
        console.print(f"Listens on {url} (Ctrl-C stops it).")

    door.serve(service, host=host, port=options["port"], workers=options["workers"], ready=ready)
    console.print("Stopped. Everything that was acknowledged is kept.")


def _service(file: Path, options: dict[str, Any]) -> Service:
    from sparsam.collect import Target
    from sparsam.collect.door import Service
    from sparsam.generalization import Generalization, Recoding

    check_model_options(options)
    if options["model_takes"] and options["recoding"]:
        raise click.UsageError("--model-takes and --recoding exclude each other.")
    source = opened(file)
    takes = options["model_takes"]
    if options["recoding"] is not None:
        if not isinstance(source, Generalization):
            raise click.UsageError(
                "--recoding is for a generalization: a questionnaire has its own."
            )
        takes = Recoding.load(options["recoding"])
    return Service(
        source,
        options["database"],
        options["keep_days"],
        mode=options["mode"],
        target=Target.of(source) if options["with_target"] else None,
        key=options["key"],
        model=options["model"],
        trust_model=options["trust_model"],
        takes=takes,
        form=not options["no_form"],
        language=options["language"],
        labels=options["labels"],
    )
