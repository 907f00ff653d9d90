"""`sparsam verify`: check a release against its certificate, without the raw data."""

from __future__ import annotations

import sys
from pathlib import Path

import rich_click as click

from sparsam._printable import one_line
from sparsam.cli._json import echo_json
from sparsam.cli._options import InputFile, json_option, quiet_option

BROKEN = 1


@click.command()
@click.argument("release", type=InputFile)
@click.argument("certificate", type=InputFile)
@json_option
@quiet_option
def verify(release: Path, certificate: Path, as_json: bool, quiet: bool) -> None:
    """Check a published table, RELEASE, against its CERTIFICATE, from the published cells alone.

    Exit codes: 0 all that can be checked is true, 1 something is not, 2 a file cannot be used.
    """
    from sparsam.anonymise import Certificate
    from sparsam.anonymise import verify as check

    found = check(release, Certificate.load(certificate))
    if as_json:
        echo_json(found.to_dict())
    elif not quiet:
        for finding in found.findings:
            click.echo(one_line(str(finding)))
        click.echo(_closing(found.ok, found.complete))
    sys.exit(0 if found.ok else BROKEN)


def _closing(ok: bool, complete: bool) -> str:
    if not ok:
        return "The release is NOT what its certificate says: do not rely on it."
    if not complete:
        return "All that could be checked is true; not everything could be."
    return "The release is what its certificate says."
