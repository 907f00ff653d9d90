"""`sparsam form`: a page on which people answer in buckets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam._printable import one_line
from sparsam.cli._options import InputFile, OutputFile, json_option, quiet_option
from sparsam.cli._terminal import counted, echo_json, messages
from sparsam.cli.collect._model_options import model_takes_option, trust_model_option
from sparsam.cli.collect._source import check_model_options, opened

if TYPE_CHECKING:
    from sparsam.collect import AnswerTable, Questionnaire
    from sparsam.generalization import Generalization

_HEADER = "Content-Security-Policy"


@click.command()
@click.argument("file", type=InputFile)
@click.option(
    "-o",
    "--output",
    type=OutputFile(".html", ".htm"),
    required=True,
    help="Where to save the page (.html).",
)
@click.option(
    "--action",
    metavar="URL",
    default="/records",
    show_default=True,
    help="Where the answers are sent: a path on the server that has the page, or an address.",
)
@click.option(
    "--language",
    metavar="CODE|FILE",
    default="en",
    show_default=True,
    help="de, en, es, fr, it, or a TOML file with all words, such as pl.toml.",
)
@click.option(
    "--labels",
    type=InputFile,
    help="A TOML file with questions and answers in your own words.",
)
@click.option("--with-target", is_flag=True, help="Ask for what the model is to learn, too.")
@click.option(
    "--show-answer",
    is_flag=True,
    help="Send nothing: show in the page what the model answers. A questionnaire may know it; else "
    "give --model.",
)
@click.option(
    "--model",
    type=InputFile,
    help="For --show-answer: .onnx, .skops, or .joblib and .pkl with --trust-model.",
)
@model_takes_option
@click.option(
    "--recoding",
    type=InputFile,
    help="For a model that takes records at full resolution: what `minimise --model` saved. A "
    "questionnaire has its own.",
)
@trust_model_option
@json_option
@quiet_option
def form(
    file: Path, output: Path, with_target: bool, show_answer: bool, as_json: bool, **options: Any
) -> None:
    """Write a page that asks for what FILE collects, in its buckets, and can send nothing finer.

    FILE is a generalization, or a questionnaire, which asks only what the answers so far leave
    open. The page is one file; it works without JavaScript, on paper too, and needs nothing else.

    `sparsam collect` serves it and takes the answers. To serve it yourself, send the header that
    is printed at the end.
    """
    from sparsam.collect import Form, Target

    source = opened(file)
    _check_model(source, show_answer, options)
    page = Form(
        source,
        action=None if show_answer else options["action"],
        language=options["language"],
        labels=options["labels"],
        target=Target.of(source) if with_target else None,
        answers=_answers(source, options) if options["model"] is not None else None,
    )
    page.save(output)
    policy = f"{page.content_security_policy}; frame-ancestors 'none'"
    size = len(page.html.encode())
    if as_json:
        names = [question.name for question in page.questions]
        echo_json({"file": output.name, "bytes": size, "asks": names, _HEADER: policy})
    elif not options["quiet"]:
        asks = counted(len(page.questions), "question")
        click.echo(one_line(f"Wrote {output}: {asks}, {size / 1000:.1f} kB."))
        click.echo(f"If you serve it yourself, send this header with it:\n{_HEADER}: {policy}")


def _check_model(
    source: Generalization | Questionnaire, show_answer: bool, options: dict[str, Any]
) -> None:
    """Refuse options that do nothing together."""
    from sparsam.generalization import Generalization

    check_model_options(options)
    if options["model"] is None:
        if show_answer and isinstance(source, Generalization):
            raise click.UsageError("--show-answer needs --model: a generalization answers nothing.")
    elif not show_answer:
        raise click.UsageError("--model goes with --show-answer.")
    if options["recoding"] and (options["model_takes"] or not isinstance(source, Generalization)):
        raise click.UsageError("--recoding is for a generalization, and without --model-takes.")


def _answers(source: Generalization | Questionnaire, options: dict[str, Any]) -> AnswerTable:
    from sparsam.collect import AnswerTable
    from sparsam.data import load_model
    from sparsam.generalization import Generalization, Recoding

    file = options["model"]
    if options["trust_model"] and file.suffix.lower() in (".joblib", ".pkl", ".pickle"):
        console = messages(options["quiet"])
        console.print(f"Loading {file.name}: this runs the code inside the file.")
    model = load_model(file, trust=options["trust_model"])
    if not isinstance(source, Generalization):
        recoding = source.recoding
        return AnswerTable.of(model, recoding.generalization, takes=recoding)
    takes = options["model_takes"]
    if options["recoding"] is not None:
        takes = Recoding.load(options["recoding"])
    return AnswerTable.of(model, source, takes=takes)
