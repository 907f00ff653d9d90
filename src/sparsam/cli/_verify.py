"""`sparsam verify`: check a release against its certificate, without the raw data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sparsam._printable import one_line
from sparsam.cli._options import InputFile, json_option, quiet_option
from sparsam.cli._terminal import echo_json

if TYPE_CHECKING:
    from sparsam.anonymise.proof._verify import Verification

NOT_SHOWN = 1


@click.command()
@click.argument("release", type=InputFile)
@click.argument("certificate", type=InputFile)
@json_option
@quiet_option
def verify(release: Path, certificate: Path, as_json: bool, quiet: bool) -> None:
    """Check a published table, RELEASE, against its CERTIFICATE, from the published cells alone.

    Every column of the file is looked at; its rows may be in any order. Nothing is said about
    columns that are published as they are, beyond how many whole rows are unique.

    Exit codes: 0 everything was checked and is true, 1 something is not, or could not be checked,
    2 a file cannot be used.
    """
    from sparsam.anonymise import Certificate
    from sparsam.anonymise import verify as check

    found = check(release, Certificate.load(certificate))
    if as_json:
        echo_json(found.to_dict())
    elif not quiet:
        for line in _lines(found):
            click.echo(one_line(line))
    sys.exit(0 if found.ok and found.complete else NOT_SHOWN)


def _lines(found: Verification) -> Iterator[str]:
    """Say what came of it first, then what it is about, then each thing that was checked."""
    yield _verdict(found)
    yield f"Quasi-identifiers: {', '.join(found.quasi_identifiers)}"
    yield f"Published as they are: {', '.join(found.kept) or 'no column'}"
    yield from _whole_rows(found)
    if found.same_file is not None:
        same = "is" if found.same_file else "is not"
        yield f"The file {same} byte for byte the one that was certified."
    yield ""
    for finding in found.findings:
        yield str(finding)


def _verdict(found: Verification) -> str:
    if not found.ok:
        return "The release is NOT what its certificate says: do not rely on it."
    if not found.complete:
        unseen = sum(finding.held is None for finding in found.findings)
        what = "1 promise was" if unseen == 1 else f"{unseen} promises were"
        return (
            f"NOT everything was checked: {what} not, as the release lacks the column. "
            "All else is true."
        )
    return "The release is what its certificate says."


def _whole_rows(found: Verification) -> Iterator[str]:
    from sparsam._small_counts import suppress
    from sparsam.report._words import THIN, whole

    if found.counted is None or not found.kept:
        return
    alone, rows = suppress(found.counted.whole_rows.unique), found.counted.n_rows
    yield f"Unique whole rows: {whole(alone)} of {whole(rows)}".replace(THIN, " ")
    for one in found.counted.one_value:
        classes = f"{one.classes:,} of {found.counted.classes:,} classes"
        yield f"One value of {one.column} in a whole class: {classes}"
