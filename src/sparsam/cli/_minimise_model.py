"""`sparsam minimise --model`: find the least data that a model needs which already runs."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import rich_click as click

from sparsam.cli._options import InputFile, OutputFile, command_line, file_hash, made_by
from sparsam.cli._tables import STANDARD_OUTPUT, output_name, save_document, show_notes
from sparsam.cli._terminal import NOT_MET, TOO_FEW, counted, echo_json, messages, tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sparsam.assess import ModelAssessment
    from sparsam.collect import Asked
    from sparsam.data import BlackBox, Roles, Source
    from sparsam.minimise import Constraints, ModelTree
    from sparsam.report import ModelReport

DEFAULT_KEEP, DEFAULT_CONFIDENCE = 0.98, 0.95
KEPT_IN = ("auto", "all", "each answer", "each cell")  # of `ModelTree`, which is slow to import
_MOST_ASKED, _MANY_RANGES = 1_000, 400  # people who are asked, where there are so many ranges
_PICKLED = (".joblib", ".pkl", ".pickle")
_OPTIONS = (
    click.option(
        "--model",
        type=InputFile,
        help="A model that already runs: .onnx, .skops, or .joblib and .pkl with --trust-model.",
    ),
    click.option(
        "--keep-accuracy",
        type=click.FloatRange(0, 1),
        help="With --model: share of its answers to keep (R² for numbers).  [default: 0.98]",
    ),
    click.option(
        "--kept-in",
        type=click.Choice([name.replace(" ", "-") for name in KEPT_IN]),
        help="With --model: where that share must be kept: over all people, for each answer, or "
        "in each group that the model treats alike.  [default: auto: over all people; where an "
        "answer is rare, each may lose at most five times as much]",
    ),
    click.option(
        "--max-ranges",
        type=click.IntRange(2),
        help="With --model: most ranges of a number, where the target allows it.  [default: 32]",
    ),
    click.option(
        "--recoding",
        type=OutputFile(".json"),
        help="With --model: where to save what the unchanged model is fed (.json).",
    ),
    click.option(
        "--questionnaire",
        type=OutputFile(".json"),
        help="With --model: where to save the questionnaire that stops early (.json).",
    ),
    click.option(
        "--trust-model",
        is_flag=True,
        help="Load a pickled model, which runs the code inside the file, or a .skops file with "
        "types that are not known to be harmless (scikit-learn's trees are such types).",
    ),
    click.option(
        "--search",
        type=click.Choice(["responses", "paper"]),
        help="With --model: by its answers, or as Goldsteen et al. 2021.  [default: responses]",
    ),
    click.option(
        "--ilag",
        type=click.Choice(["corrected", "paper"]),
        help="With --search paper: eq. 3 corrected, or as printed.  [default: corrected]",
    ),
)


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that go with a model."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def minimise_for_model(
    data: Path, roles: Roles, constraints: Constraints, options: Mapping[str, Any]
) -> NoReturn:
    """Find what the model needs, say so, save it, and exit: 1 where the target is missed."""
    from sparsam.assess import assess_model
    from sparsam.collect import Questionnaire
    from sparsam.data import OwnRecords, open_source

    console = messages(options["quiet"])
    box = _load(options["model"], options["trust_model"], options["quiet"])
    source = open_source(data, roles.file)
    records = OwnRecords.open(source, roles=roles, columns=box.columns).table
    wide = counted(len(records.names), "column")
    console.print(f"Read {counted(records.n_rows, 'record')}; the model takes {wide}.")
    show_notes(records, console)
    with console.working(f"Asking the model about {records.n_rows:,} records and variants …"):
        tree = _fit(source, box, roles, constraints, options)
    # what took longest first: none of it is lost if what follows is cut short
    _save("generalization", tree.generalization_, options["output"], options)
    _save("recoding", tree.recoding_, options["recoding"], options)
    with console.working("Putting the questions in order …"):
        questionnaire = Questionnaire(tree.recoding_)
    _save("questionnaire", questionnaire, options["questionnaire"], options)
    with console.working("Measuring what is kept, and asking the questions …"):
        assessment = assess_model(tree, source, rows=tree.held_out_rows_)
        asked = questionnaire.ask(records.take(_asked_rows(tree, options["seed"])))
    report = _report(assessment, tree, asked, data, records.n_rows, options)
    _save("report", report, options["report"], options)
    if options["as_json"]:
        echo_json(_plain(assessment, asked))
    else:
        aside = options["output"] == STANDARD_OUTPUT
        click.echo(report.to_terminal(tables().width), nl=False, err=aside)
    if all(options[name] is None for name in ("output", "recoding", "questionnaire", "report")):
        console.print(
            "Nothing was saved: -o keeps the generalization, --recoding what the model is fed, "
            "--questionnaire the questions, --report the evidence."
        )
    if assessment.met:
        sys.exit(0)
    sys.exit(TOO_FEW if assessment.proof.too_few else NOT_MET)


def _asked_rows(tree: ModelTree, seed: int) -> NDArray[np.int64]:
    """The people held out; of many ranges, where each takes long to ask, a thousand by chance."""
    import numpy as np

    rows = tree.held_out_rows_
    if len(rows) <= _MOST_ASKED or tree.generalization_.n_buckets <= _MANY_RANGES:
        return rows
    return np.sort(np.random.default_rng(seed).permutation(rows)[:_MOST_ASKED])


def _load(model: Path, trust: bool, quiet: bool) -> BlackBox:
    from sparsam.data import load_model

    if trust and model.suffix.lower() in _PICKLED:
        messages(quiet).print(f"Loading {model.name}: this runs the code inside the file.")
    return load_model(model, trust=trust)


def _fit(
    data: Source, box: BlackBox, roles: Roles, constraints: Constraints, options: Mapping[str, Any]
) -> ModelTree:
    from sparsam._errors import SparsamWarning
    from sparsam.minimise import ModelTree

    keep = options["keep_accuracy"]
    if options["max_ranges"] is not None:
        constraints = replace(constraints, max_ranges=options["max_ranges"])
    tree = ModelTree(
        box,
        roles,
        keep_accuracy=DEFAULT_KEEP if keep is None else keep,
        kept_in=(options["kept_in"] or "auto").replace("-", " "),
        confidence=options.get("confidence", DEFAULT_CONFIDENCE),
        search=options["search"] or "responses",
        ilag=options["ilag"] or "corrected",
        constraints=constraints,
        random_state=options["seed"],
    )
    with warnings.catch_warnings():
        # that the target is missed is the first thing we say ourselves
        warnings.filterwarnings("ignore", "On the .* records held out", SparsamWarning)
        return tree.fit(data)


def _report(
    assessment: ModelAssessment,
    tree: ModelTree,
    asked: Asked,
    data: Path,
    rows: int,
    options: Mapping[str, Any],
) -> ModelReport:
    from sparsam.report import model_report

    model: Path = options["model"]
    return model_report(
        assessment,
        tree.generalization_,
        asked,
        title=f"Data minimisation report: {model.name}",
        source=data.name,
        rows=rows,
        command=command_line(),
        facts={"model": model.name, "SHA-256 of the model": file_hash(model)},
        **made_by(options),
    )


def _plain(assessment: ModelAssessment, asked: Asked) -> dict[str, Any]:
    questions = {"mean": asked.mean, "form": asked.form, "saved": asked.saved}
    return {**assessment.to_dict(), "questions": questions}


def _save(name: str, what: Any, path: Path | None, options: Mapping[str, Any]) -> None:
    """Write an artifact or the report where it is wanted, and say so."""
    if path is not None:
        save_document(what, path)
        messages(options["quiet"]).print(f"Wrote the {name} to {output_name(path, path)}.")
