"""`sparsam anonymise`: publish a table in which nobody stands alone, and prove it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._apply import ENDINGS
from sparsam.cli._options import (
    InputFile,
    InputTable,
    OutputFile,
    command_line,
    file_hash,
    head_options,
    json_option,
    made_by,
    names_option,
    quiet_option,
    reading_options,
    release_memory_option,
    report_option,
    seed_option,
    spreadsheet_option,
)
from sparsam.cli._tables import show_remarks
from sparsam.cli._terminal import complain, echo_json, messages, tables
from sparsam.cli.release._anonymise_options import (
    FORMS,
    GUIDED,
    METHODS,
    Paths,
    anonymiser,
    check_large_options,
    chosen_method,
    is_large,
    privacy_models,
    release_roles,
    whole_numbers,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sparsam.anonymise import Anonymiser
    from sparsam.data import BlackBox, Roles
    from sparsam.report import ReleaseReport

BROKEN = 1
_PICKLED = (".joblib", ".pkl", ".pickle")


@click.command()
@click.argument("data", type=InputTable)
@names_option("--quasi-identifiers", help="Columns by which people could be recognised.")
@click.option(
    "--k",
    type=click.IntRange(2),
    default=10,
    show_default=True,
    help="At least so many share every combination of quasi-identifiers.",
)
@click.option(
    "-o", "--output", type=OutputFile(*ENDINGS), required=True, help="A .csv or .parquet file."
)
@click.option(
    "--target",
    metavar="NAME|EXPRESSION",
    help='What will be learned from it: a column, which is published as it is, or "income>50000", '
    "which is published as yes and no.",
)
@click.option(
    "--model",
    type=InputFile,
    help="A model whose answers should be kept: .onnx, .skops, or .joblib with --trust-model.",
)
@click.option("--trust-model", is_flag=True, help="Load a pickled model, which runs its code.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    help="How people are divided.  [default: hybrid with a target or a model, else greedy]",
)
@click.option(
    "--publish",
    type=click.Choice(FORMS),
    help="What is published for a class.  [default: median; hierarchy with --method full-domain]",
)
@names_option("--keep", help="Columns to publish as they are.")
@click.option(
    "--accept-unique",
    is_flag=True,
    help="Publish columns as they are even if they make rows unique.",
)
@click.option(
    "--l-diversity",
    multiple=True,
    metavar="NAME:L",
    help="So many values of a column in every class; NAME:L:entropy, NAME:L:recursive=C.",
)
@click.option(
    "--t-closeness",
    multiple=True,
    metavar="NAME:T",
    help="How far its spread in a class may be from that of all; NAME:T:ordered.",
)
@click.option("--entity", metavar="NAME", help="Whose row it is: a person's rows count once.")
@click.option(
    "--max-suppressed",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Largest share of rows that may be left out.",
)
@click.option(
    "--hierarchy", multiple=True, metavar="NAME=FILE", help="Labels of a column, as ARX has them."
)
@click.option(
    "--certificate",
    type=OutputFile(".json"),
    help="Where to save the certificate.  [default: beside the output]",
)
@report_option
@head_options
@click.option(
    "--sweep-k",
    metavar="NUMBERS",
    help="For the report: accuracy for several k, such as 10,20,50,100 (takes longer).",
)
@click.option("--drop-one", is_flag=True, help="For the report: what each quasi-identifier costs.")
@release_memory_option
@reading_options
@spreadsheet_option
@seed_option
@json_option
@quiet_option
def anonymise(data: Path, **options: Any) -> None:
    """Publish DATA so that at least k people share their quasi-identifiers, and prove it.

    Only the quasi-identifiers, the target and the columns named with --keep come out, in a random
    order of rows. The file that was written is read again and checked from its cells by independent
    code; a certificate lets anyone repeat that with `sparsam verify`.

    A .parquet file that does not fit into memory is divided part by part, and its release is
    counted where it was written; nothing else is written anywhere.

    Exit codes: 0 published, 1 the promise would be broken, or columns that are published as they
    are make rows unique, and nothing was written, 2 wrong usage.
    """
    from sparsam._errors import ReleaseError

    paths = Paths.of(options)
    roles = release_roles(options)
    method = chosen_method(options, roles)
    ks = whole_numbers(options["sweep_k"])
    try:
        with _warnings_printed(options["quiet"]):
            report = _published(data, roles, method, paths, ks, options)
    except ReleaseError as error:
        complain(error)
        sys.exit(BROKEN)
    if paths.report is not None:
        report.save(paths.report)
        messages(options["quiet"]).print(f"Wrote the report to {paths.report}.")
    if options["as_json"]:
        echo_json(_plain(report))
    else:
        click.echo(report.to_terminal(tables().width), nl=False)


def _published(
    data: Path,
    roles: Roles,
    method: str,
    paths: Paths,
    ks: tuple[int, ...],
    options: Mapping[str, Any],
) -> ReleaseReport:
    """Publish the file, and report on what was published."""
    from sparsam.anonymise import labels_from, training_labels, with_target
    from sparsam.data import count_rows, open_as
    from sparsam.data.model import open_own
    from sparsam.report import release_report

    console = messages(options["quiet"])
    if is_large(data, options):
        return _published_large(data, roles, method, paths, options)
    box = _load(options)
    text = [*roles.categorical, *roles.ordered]
    source = open_as(data, roles)
    frame = open_own(source, text).native
    show_remarks(source, console)
    frame, roles, target = with_target(frame, roles)
    if roles.drop_missing_target and target is not None:
        frame = _with_known(frame, target, options)
    maker = anonymiser(method, roles, _kept(frame, roles, target, options), box, options)
    _note_what_is_left_out(frame, maker, options)
    labels = labels_from(frame, roles)
    guide = None if labels is None else training_labels(labels)
    with console.working("Dividing people into classes …"):
        release = maker.fit_release(
            frame,
            guide,
            path=paths.output,
            certificate_path=paths.certificate,
            spreadsheet_safe=options["spreadsheet_safe"],
        )
    console.print(f"Wrote the release to {release.path}.")
    console.print(f"Wrote the certificate to {release.certificate_path}.")
    evidence: dict[str, Any] = {}
    if options["drop_one"]:
        from sparsam.anonymise import drop_one

        with console.working("Leaving out one quasi-identifier at a time …"):
            evidence["drop_one"] = drop_one(frame, guide, anonymiser=maker)
    if ks:
        evidence |= _scored(frame, labels, box, maker, ks, options)
    return release_report(
        release.path,
        release.certificate,
        unpublished=release.unpublished,
        **evidence,
        title=f"Anonymisation report: {data.name}",
        source=data.name,
        rows=count_rows(frame),
        command=command_line(),
        facts=_facts(options["model"]),
        **made_by(options),
    )


def _published_large(
    data: Path, roles: Roles, method: str, paths: Paths, options: Mapping[str, Any]
) -> ReleaseReport:
    """Publish a file that does not fit into memory."""
    from sparsam.data import open_as, target_of
    from sparsam.report import release_report

    source = open_as(data, roles)
    target = target_of(roles, source.names)
    check_large_options(target, ks=options["sweep_k"], options=options)
    label = None if target is None else target.column
    maker = anonymiser(method, roles, _kept(source, roles, label, options), None, options)
    _note_what_is_left_out(source, maker, options)
    console = messages(options["quiet"])
    with console.working("Dividing people into classes …"):
        release = maker.fit_release(
            data,
            label if method in GUIDED else None,
            path=paths.output,
            certificate_path=paths.certificate,
            max_memory=options["max_memory"],
        )
    console.print(f"Wrote the release to {release.path}.")
    console.print(f"Wrote the certificate to {release.certificate_path}.")
    return release_report(
        release.path,
        release.certificate,
        title=f"Anonymisation report: {data.name}",
        source=data.name,
        rows=release.certificate.n_rows + maker.n_suppressed_,
        command=command_line(),
        max_memory=options["max_memory"],
        **made_by(options),
    )


def _with_known(frame: Any, target: str, options: Mapping[str, Any]) -> Any:
    """Leave out the rows without a target, and say how many."""
    from sparsam._small_counts import suppress
    from sparsam.anonymise import with_known
    from sparsam.data import count_rows

    known = with_known(frame, target)
    gone = suppress(count_rows(frame) - count_rows(known))
    if gone:
        messages(options["quiet"]).print(f"Note: {gone} rows without a target left out.")
    return known


def _load(options: Mapping[str, Any]) -> BlackBox | None:
    from sparsam.data import load_model

    model: Path | None = options["model"]
    if model is None:
        return None
    if options["trust_model"] and model.suffix.lower() in _PICKLED:
        messages(options["quiet"]).print(
            f"Loading {model.name}: this runs the code inside the file."
        )
    return load_model(model, trust=options["trust_model"])


def _kept(frame: Any, roles: Roles, target: str | None, options: Mapping[str, Any]) -> list[str]:
    """The columns to publish as they are, the target among them."""
    from sparsam._checks import check_names
    from sparsam.data import column_names

    keep = list(options["keep"])
    check_names([*roles.quasi_identifiers, *keep], column_names(frame))
    return keep if target is None or target in keep else [*keep, target]


def _note_what_is_left_out(frame: Any, maker: Anonymiser, options: Mapping[str, Any]) -> None:
    from sparsam.data import column_names

    published = {*maker.keep, *(maker.quasi_identifiers or ())}
    left_out = [name for name in column_names(frame) if name not in published]
    if not left_out:
        return
    console = messages(options["quiet"])
    console.print(f"Left out: {', '.join(left_out)} (--keep publishes a column as it is).")
    needed = [options["entity"], *(n for model in privacy_models(options) for n in model.needs)]
    hidden = [name for name in dict.fromkeys(needed) if name in left_out]
    if hidden:
        console.print(
            f"Note: sparsam verify cannot check what is promised about {', '.join(hidden)}, "
            "which is not published."
        )


def _scored(
    frame: Any,
    labels: NDArray[Any] | None,
    box: BlackBox | None,
    maker: Anonymiser,
    ks: tuple[int, ...],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Score every k by the true labels, or by what the model says where there are none."""
    from sparsam.anonymise import k_scores

    truth, learned = labels, "the target"
    if truth is None and box is not None:
        truth, learned = box.predict(frame), "the model’s answers"
        truth = truth.astype(float) if box.regression else truth
    if truth is None:
        raise click.UsageError("--sweep-k must have --target or --model.")
    with messages(options["quiet"]).working("Trying every k …"):
        scored = k_scores(
            frame,
            truth,
            ks=ks,
            anonymiser=maker,
            learned=learned,
            random_state=options["seed"],
        )
    return {"sweeps": scored.sweeps, "scores": scored.scores}


def _facts(model: Path | None) -> dict[str, Any]:
    if model is None:
        return {}
    return {"model": model.name, "SHA-256 of the model": file_hash(model)}


@contextmanager
def _warnings_printed(quiet: bool) -> Iterator[None]:
    """Print our own warnings as remarks, once each; those of others stay warnings."""
    from sparsam._errors import SparsamWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    console = messages(quiet)
    printed = set()
    for warning in caught:
        if not issubclass(warning.category, SparsamWarning):
            where = warning.filename, warning.lineno
            warnings.warn_explicit(warning.message, warning.category, *where)
        elif str(warning.message) not in printed:
            printed.add(str(warning.message))
            console.print(f"Warning: {warning.message}")


def _plain(report: ReleaseReport) -> dict[str, Any]:
    data: dict[str, Any] = dict(report.to_dict())
    names = ("kept", "complete", "findings", "certificate", "sizes", "risk", "sweeps", "drop_one")
    return {name: data[name] for name in names}
