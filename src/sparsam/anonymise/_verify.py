"""Check a release against its promises, from the published cells alone."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError, ReleaseError, SparsamWarning
from sparsam.anonymise._certificate import (
    FORMAT,
    Certificate,
    KAnonymityTerms,
    Terms,
    checked_losses,
    plain_facts,
    versions,
)
from sparsam.anonymise._verify_cells import cells_hash, shared_records
from sparsam.anonymise._verify_promises import broken_by, people_in
from sparsam.data import column_names, columns_of
from sparsam.data._names import check_names

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    Attributes
    ----------
    words : str
        What was to be true.
    held : bool or None
        Whether it is; None where the release does not show it.
    detail : str
        How it is not, in numbers.
    """

    words: str
    held: bool | None
    detail: str = ""

    def __str__(self) -> str:
        mark = {True: "yes", False: "NO", None: "not checked"}[self.held]
        return f"{mark}: {self.words}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True)
class Verification:
    """What came of checking a release.

    Attributes
    ----------
    findings : tuple of Finding
    """

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found to be wrong."""
        return all(finding.held is not False for finding in self.findings)

    @property
    def complete(self) -> bool:
        """Whether everything could be checked."""
        return all(finding.held is not None for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        each = [{"words": f.words, "held": f.held, "detail": f.detail} for f in self.findings]
        return {"ok": self.ok, "complete": self.complete, "findings": each}

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in self.findings)


def verify(
    release: Any,
    certificate: Certificate | str | os.PathLike[str],
    *,
    unpublished: Columns | None = None,
) -> Verification:
    """Check a published table against its certificate, without the raw data.

    Parameters
    ----------
    release : frame, mapping of arrays, ndarray, Table or path
        The published table. A table in a file must be read as the file has it.
    certificate : Certificate or path
    unpublished : mapping of str to ndarray, optional
        Columns that promises speak about and that are not published, such as whose row it is. A
        promise about a column that nobody shows is reported as not checked.

    Returns
    -------
    Verification

    Examples
    --------
    >>> release = {"age": [30, 30, 40, 40]}
    >>> paper = certify(release, ["age"], [KAnonymityTerms(k=2)])
    >>> verify(release, paper).ok
    True
    >>> print(verify({"age": [30, 30, 40, 41]}, paper).findings[-1])
    NO: every published record is shared by at least 2 rows (2 records, 2 rows)
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(os.fspath(certificate))
    names = column_names(release)
    findings = [_same("the columns are those of the certificate", names, certificate.columns)]
    if not set(certificate.quasi_identifiers) <= set(names):
        return Verification(tuple(findings))
    cells = _cells(release, names, certificate.quasi_identifiers)
    found = _measured(cells, certificate.quasi_identifiers)
    whole = cells_hash(cells) == certificate.sha256
    findings += [
        _same("the number of rows is that of the certificate", found.n_rows, certificate.n_rows),
        Finding("no cell was changed since the certificate was made", whole),
        _same(
            "as many different records as the certificate says", found.classes, certificate.classes
        ),
        _same(
            "as many rows share the rarest record as it says", found.smallest, certificate.smallest
        ),
    ]
    every = {**(unpublished or {}), **cells}
    findings += [_kept(terms, found.of_row, every) for terms in certificate.demands]
    return Verification(tuple(findings))


def certify(
    release: Any,
    quasi_identifiers: Sequence[str],
    demands: Sequence[Terms],
    *,
    suppressed: int = 0,
    unpublished: Columns | None = None,
    information_loss: Mapping[str, float] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Certificate:
    """Check a release from its published cells, and write down what it promises.

    Parameters
    ----------
    release : frame, mapping of arrays, ndarray, Table or path
        What is to be published, all of it.
    quasi_identifiers : sequence of str
        Columns by which people could be recognised.
    demands : sequence of Terms
        The promises: the `terms` of the `parts` of a privacy model.
    suppressed : int, default=0
        Rows that were left out.
    unpublished : mapping of str to ndarray, optional
        Columns that promises speak about and that are not published, for the published rows.
    information_loss : mapping of str to float, optional
        How much detail was lost, by the name of the definition.
    parameters : mapping, optional
        Plain facts about how the release was made.

    Returns
    -------
    Certificate

    Raises
    ------
    ReleaseError
        The release breaks one of its promises: it must not be published.
    """
    names = column_names(release)
    check_names(quasi_identifiers, names, "quasi-identifier")
    _check(quasi_identifiers, demands, suppressed)
    cells = _cells(release, names, quasi_identifiers)
    every = {**(unpublished or {}), **cells}
    found = _measured(cells, quasi_identifiers)
    if not found.n_rows:
        raise DataError(f"A release must have rows. All {suppressed:,} are suppressed.")
    _check_columns(demands, every, found.n_rows)
    _refuse(Verification(tuple(_kept(terms, found.of_row, every) for terms in demands)))
    _warn_of_people(demands, names)
    return Certificate(
        format=FORMAT,
        version=1,
        sha256=cells_hash(cells),
        n_rows=found.n_rows,
        suppressed=int(suppressed),
        columns=tuple(names),
        quasi_identifiers=tuple(quasi_identifiers),
        demands=tuple(demands),
        classes=found.classes,
        smallest=found.smallest,
        smallest_people=_fewest_people(demands, found.of_row, every),
        information_loss=checked_losses(information_loss or {}),
        parameters=plain_facts(parameters or {}),
        versions=versions(),
    )


def shared_sizes(release: Any, quasi_identifiers: Sequence[str]) -> NDArray[np.int64]:
    """Count the rows that share each published record, from the published cells.

    Parameters
    ----------
    release : frame, mapping of arrays, ndarray, Table or path
    quasi_identifiers : sequence of str

    Examples
    --------
    >>> shared_sizes({"age": [30, 30, 40], "sex": ["f", "f", "m"]}, ["age", "sex"]).tolist()
    [2, 1]
    """
    found = _measured(_cells(release, quasi_identifiers, quasi_identifiers), quasi_identifiers)
    return np.bincount(found.of_row).astype(np.int64)


@dataclass(frozen=True)
class _Measured:
    of_row: NDArray[np.int64]
    n_rows: int
    classes: int
    smallest: int


def _cells(release: Any, names: Sequence[str], quasi_identifiers: Sequence[str]) -> Columns:
    """Read the cells; in a CSV file 1 and 1.0 are different texts, which tell people apart."""
    return columns_of(release, list(names), text=list(quasi_identifiers))


def _measured(cells: Columns, quasi_identifiers: Sequence[str]) -> _Measured:
    of_row = shared_records([cells[name] for name in quasi_identifiers])
    sizes = np.bincount(of_row)
    return _Measured(of_row, len(of_row), len(sizes), int(sizes.min()) if len(sizes) else 0)


def _same(words: str, found: Any, stated: Any) -> Finding:
    if found == stated:
        return Finding(words, True)
    counted = isinstance(found, int)
    return Finding(words, False, f"{stated:,} stated, {found:,} found" if counted else "")


def _kept(terms: Terms, of_row: NDArray[np.int64], columns: Columns) -> Finding:
    hidden = [name for name in terms.needs if name not in columns]
    if hidden:
        return Finding(terms.words, None, f"'{hidden[0]}' is not published")
    if any(len(columns[name]) != len(of_row) for name in terms.needs):
        return Finding(terms.words, None, "the unpublished column has another number of rows")
    broken = broken_by(terms, of_row, columns)
    if not broken.classes:
        return Finding(terms.words, True)
    return Finding(terms.words, False, f"{broken.classes:,} records, {broken.rows:,} rows")


def _refuse(found: Verification) -> None:
    if found.ok:
        return
    worst = next(finding for finding in found.findings if finding.held is False)
    raise ReleaseError(
        f"The release must keep its promise: {worst.words}. It does not: {worst.detail} break it, "
        "and nothing was released.\n\nHint: suppress those rows, or divide the table more coarsely."
    )


def _check(quasi_identifiers: Sequence[str], demands: Sequence[Terms], suppressed: int) -> None:
    if not quasi_identifiers:
        raise ParameterError("A release must have at least one quasi-identifier. Got none.")
    if not demands:
        raise ParameterError("A certificate must promise something. Got no demand.")
    if suppressed < 0:
        raise ParameterError("The 'suppressed' parameter of certify must be at least 0.")


def _check_columns(demands: Sequence[Terms], columns: Columns, n_rows: int) -> None:
    for name in (name for terms in demands for name in terms.needs):
        check_names([name], list(columns), what="a column that the promise can be checked with")
        if len(columns[name]) != n_rows:
            raise DataError(
                f"'{name}' must have a value for each of the {n_rows:,} published rows. "
                f"Got {len(columns[name]):,} instead."
            )


def _warn_of_people(demands: Sequence[Terms], names: Sequence[str]) -> None:
    for terms in demands:
        if isinstance(terms, KAnonymityTerms) and terms.entity in names:
            warnings.warn(
                f"The release has the column '{terms.entity}', which links the rows of one "
                "person: their records together may be rarer than each of them.",
                SparsamWarning,
                stacklevel=3,
            )


def _fewest_people(
    demands: Sequence[Terms], of_row: NDArray[np.int64], columns: Columns
) -> int | None:
    named = [t.entity for t in demands if isinstance(t, KAnonymityTerms) and t.entity is not None]
    return int(people_in(of_row, np.asarray(columns[named[0]])).min()) if named else None
