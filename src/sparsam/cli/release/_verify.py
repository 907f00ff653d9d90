"""`sparsam verify`: check a release against its certificate, without the raw data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sparsam._printable import one_line
from sparsam.cli._options import InputFile, json_option, quiet_option, release_memory_option
from sparsam.cli._terminal import echo_json

if TYPE_CHECKING:
    from sparsam.anonymise import Verification

NOT_SHOWN = 1


@click.command()
@click.argument("release", type=InputFile)
@click.argument("certificate", type=InputFile)
@release_memory_option
@json_option
@quiet_option
def verify(
    release: Path, certificate: Path, max_memory: int | None, as_json: bool, quiet: bool
) -> None:
    """Check a published table, RELEASE, against its CERTIFICATE, from the published cells alone.

    Every column of the file is looked at; its rows may be in any order. Nothing is said about
    columns that are published as they are, beyond how many whole rows are unique.

    Exit codes: 0 everything was checked and is true, 1 something is not, or could not be checked,
    2 a file cannot be used.
    """
    from sparsam.anonymise import Certificate
    from sparsam.anonymise import verify as check

    verification = check(release, Certificate.load(certificate), max_memory=max_memory)
    if as_json:
        echo_json(verification.to_dict())
    elif not quiet:
        for line in _lines(verification):
            click.echo(one_line(line))
    sys.exit(0 if verification.ok and verification.complete else NOT_SHOWN)


def _lines(verification: Verification) -> Iterator[str]:
    """Yield what came of it first, then what it is about, then each thing that was checked."""
    yield _verdict(verification)
    yield f"Quasi-identifiers: {', '.join(verification.quasi_identifiers)}"
    yield f"Published as they are: {', '.join(verification.kept) or 'no column'}"
    yield from _whole_rows(verification)
    if verification.same_file is not None:
        same = "is" if verification.same_file else "is not"
        yield f"The file {same} byte for byte the one that was certified."
    yield ""
    for finding in verification.findings:
        yield str(finding)


def _verdict(verification: Verification) -> str:
    if not verification.ok:
        return "The release is NOT what its certificate says: do not rely on it."
    if not verification.complete:
        unseen = sum(finding.held is None for finding in verification.findings)
        what = "1 promise was" if unseen == 1 else f"{unseen} promises were"
        return (
            f"NOT everything was checked: {what} not, as the release lacks the column. "
            "All else is true."
        )
    return "The release is what its certificate says."


def _whole_rows(verification: Verification) -> Iterator[str]:
    from sparsam._small_counts import FEWER, few

    counts = verification.counted
    if counts is None or not verification.kept:
        return
    unique = counts.whole_rows.unique
    yield f"Unique whole rows: {FEWER if few(unique) else f'{unique:,}'} of {counts.n_rows:,}"
    for column in counts.one_value:
        classes = f"{column.classes:,} of {counts.classes:,} classes"
        yield f"One value of {column.column} in a whole class: {classes}"
