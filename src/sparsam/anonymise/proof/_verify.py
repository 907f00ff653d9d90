"""Check a release against its promises, from the published cells alone."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, ParameterError, ReleaseError, SparsamWarning, hint
from sparsam._memory import memory_budget
from sparsam._small_counts import at_most
from sparsam.anonymise.proof._cells import cells_hash, column_texts
from sparsam.anonymise.proof._certificate import (
    FORMAT,
    Certificate,
    KAnonymityTerms,
    Terms,
    checked_losses,
    plain_facts,
    versions,
)
from sparsam.anonymise.proof._promises import (
    Columns,
    Counted,
    broken_by,
    counted,
    people_in,
    refuted_by,
)
from sparsam.data import columns_of
from sparsam.data.large import (
    NumberedCells,
    WholeRows,
    cells_fit,
    counted_there,
    whole_rows,
    whole_rows_of_frame,
)
from sparsam.data.source import row_labels, stored_cells


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    Attributes
    ----------
    words : str
        What was to be true.
    held : bool or None
        Whether it is; None where the release does not show it.
    reason : str
        Why it is not, or why it was not checked, in words.
    counts : tuple of pairs of int and str
        How it is not, in numbers: so many of what.
    """

    words: str
    held: bool | None
    reason: str = ""
    counts: tuple[tuple[int, str], ...] = ()

    @property
    def detail(self) -> str:
        """How it is not, in words or in numbers."""
        return self.reason or ", ".join(f"{count:,} {what}" for count, what in self.counts)

    def __str__(self) -> str:
        mark = {True: "yes", False: "NO", None: "not checked"}[self.held]
        return f"{mark}: {self.words}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True)
class Verification:
    """What came of checking a release.

    Attributes
    ----------
    findings : tuple of Finding
    quasi_identifiers, kept : tuple of str
        What the promises are about, and the columns that are published as they are, of which they
        say nothing.
    counted : Counted or None
        What was counted; None where the release lacks a quasi-identifier.
    same_file : bool or None
        Whether the file is byte for byte the one that was certified. It need not be: rows may come
        in another order. None where there is nothing to compare.
    """

    findings: tuple[Finding, ...]
    quasi_identifiers: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    counted: Counted | None = None
    same_file: bool | None = None

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
        return {
            "ok": self.ok,
            "complete": self.complete,
            "quasi_identifiers": list(self.quasi_identifiers),
            "published_as_they_are": list(self.kept),
            "same_file": self.same_file,
            "findings": each,
        }

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in self.findings)


def verify(
    release: Any,
    certificate: Certificate | str | os.PathLike[str],
    *,
    unpublished: Columns | None = None,
    max_memory: int | str | None = None,
) -> Verification:
    """Check a published table against its certificate, without the raw data.

    Parameters
    ----------
    release : frame, mapping of arrays, ndarray, Table, relation, lazy frame or path
        The published table, with all of its columns. Its rows may be in any order.
    certificate : Certificate or path
    unpublished : mapping of str to ndarray, optional
        Columns that promises speak about and that are not published, such as whose row it is. A
        promise about a column that nobody shows is reported as not checked, unless classes are
        too small for it to be true.
    max_memory : int or str, optional
        Bytes, or a text such as "4GB"; None: half of what is free. The rows of a table that would
        take more are counted where they are: in a file by DuckDB, in a frame by its engine.

    Returns
    -------
    Verification

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.anonymise import Anonymiser
    >>> anonymiser = Anonymiser(quasi_identifiers=["age"], k=2, publish="mode")
    >>> release = anonymiser.fit_transform({"age": np.array([30, 30, 40, 40])})
    >>> verify(release, anonymiser.certificate_).ok
    True
    >>> print(verify({"age": [30, 30, 40, 41]}, anonymiser.certificate_).findings[-1])
    NO: every combination of quasi-identifiers is shared by at least 2 rows (2 records, 2 rows)
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(os.fspath(certificate))
    paper = certificate
    cells, often = _cells(release, memory_budget("verify", max_memory), unpublished)
    findings = [_same_columns(tuple(cells), paper.columns, labels=row_labels(release))]
    about = (paper.quasi_identifiers, paper.kept)
    if not set(paper.quasi_identifiers) <= set(cells):
        return Verification(tuple(findings), *about)
    counts = counted(cells, paper.quasi_identifiers, paper.demands, often)
    findings += _stated(cells, counts, paper)
    every = {**(unpublished or {}), **_typed(release, paper.demands, cells)}
    findings += [_kept(terms, counts, every) for terms in paper.demands]
    same = None if paper.file_sha256 is None else _file_hash(release)
    same_file = None if same is None else same == paper.file_sha256
    return Verification(tuple(findings), *about, counts, same_file)


def _cells(
    release: Any, budget: int, unpublished: Columns | None, ending: str | None = None
) -> tuple[Columns, NDArray[np.int64] | None]:
    """Return the cells of every row; or of the different rows, and how many are like each."""
    there = counted_there(release) and not unpublished
    if ending is None and not there and cells_fit(release, budget):
        return stored_cells(release), None
    rows: WholeRows | None
    if isinstance(release, str | os.PathLike):
        rows = whole_rows(release, ending, max_memory=budget)
    else:
        rows = whole_rows_of_frame(release)
    if rows is None or unpublished:
        what = "its columns alone" if rows else "a file whose cells an engine can tell apart"
        raise DataError(
            f"A release that does not fit into memory must be checked from {what}. This one cannot "
            "be."
            + hint(
                "publish a .parquet file, or allow more with max_memory",
                "publish a .parquet file, or allow more with --max-memory",
            )
        )
    return rows.columns, rows.counts


def _stated(cells: Columns, counts: Counted, paper: Certificate) -> list[Finding]:
    """Compare what was counted with what the certificate states."""
    whole = cells_hash(cells, counts.counts) == paper.sha256
    findings = [
        _same("the number of rows is that of the certificate", counts.n_rows, paper.n_rows),
        Finding("no cell was changed since the certificate was made", whole),
        _same("as many classes as the certificate says", counts.classes, paper.classes),
        _same("as many rows in the smallest class as it says", counts.smallest, paper.smallest),
    ]
    if paper.whole_rows is not None:
        same = counts.whole_rows == paper.whole_rows
        findings.append(Finding("as many whole rows are unique as it says", same))
    if paper.one_value:
        same = counts.one_value == paper.one_value
        words = "as many classes in which all have one value as it says"
        findings.append(Finding(words, same))
    return findings


def certify(
    release: Any,
    quasi_identifiers: Sequence[str],
    demands: Sequence[Terms],
    *,
    suppressed: int = 0,
    unpublished: Columns | None = None,
    information_loss: Mapping[str, float] | None = None,
    parameters: Mapping[str, Any] | None = None,
    max_memory: int | str | None = None,
    ending: str | None = None,
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
    max_memory : int or str, optional
        See `verify`.
    ending : str, optional
        What kind of file the release is, where its path does not say: its rows are counted by
        an engine.

    Returns
    -------
    Certificate

    Raises
    ------
    ReleaseError
        The release breaks one of its promises: it must not be published.
    """
    cells, often = _cells(release, memory_budget("certify", max_memory), unpublished, ending)
    names = tuple(cells)
    check_names(quasi_identifiers, names, "quasi-identifier")
    _check(quasi_identifiers, demands, suppressed)
    if row_labels(release):
        raise ReleaseError(
            "A release must have no row labels: a file would hold them as one more column. Got "
            "some, and nothing was released.\n\nHint: release.reset_index(drop=True) drops them."
        )
    counts = counted(cells, quasi_identifiers, demands, often)
    if not counts.n_rows:
        raise DataError(f"A release must have rows. All {suppressed:,} are suppressed.")
    every = {**(unpublished or {}), **_typed(release, demands, cells)}
    _check_columns(demands, every, len(counts.of_row))
    _refuse(Verification(tuple(_kept(terms, counts, every) for terms in demands)))
    _warn_of_people(demands, names)
    return Certificate(
        format=FORMAT,
        version=1,
        sha256=cells_hash(cells, often),
        n_rows=counts.n_rows,
        suppressed=at_most(int(suppressed)),
        columns=names,
        quasi_identifiers=tuple(quasi_identifiers),
        demands=tuple(demands),
        classes=counts.classes,
        smallest=counts.smallest,
        smallest_people=_fewest_people(demands, counts.of_row, every),
        whole_rows=counts.whole_rows,
        one_value=counts.one_value,
        file_sha256=_file_hash(release),
        information_loss=checked_losses(information_loss or {}),
        parameters=plain_facts(parameters or {}),
        versions=versions(),
    )


def _typed(release: Any, demands: Sequence[Terms], cells: Columns) -> Columns:
    """Read the published columns that promises speak about as what they mean, such as numbers."""
    needed = dict.fromkeys(name for terms in demands for name in terms.needs if name in cells)
    counted_there = {name: cells[name] for name in needed}
    if any(isinstance(column, NumberedCells) for column in counted_there.values()):
        return {name: _meant(column) for name, column in counted_there.items()}
    return columns_of(release, list(needed)) if needed else {}


def _meant(column: Any) -> NumberedCells:
    """Read texts of a CSV file as numbers, where all of them are."""
    known = [cell for cell in column.cells if cell is not None]
    if not all(isinstance(cell, str) for cell in known) or column_texts(known)[0] != "number":
        return NumberedCells(column.number, column.cells)
    numbers = [None if cell is None else float(cell) for cell in column.cells]
    return NumberedCells(column.number, numbers)


def _file_hash(release: Any) -> str | None:
    if not isinstance(release, str | os.PathLike):
        return None
    with Path(release).open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _same_columns(columns: Sequence[str], stated: Sequence[str], *, labels: bool) -> Finding:
    """Whether a release has the columns that its certificate names, and nothing beside them."""
    words = "the columns are those of the certificate, and there are no others"
    more = [*(name for name in columns if name not in stated), *(["row labels"] if labels else [])]
    if more:
        return Finding(words, False, f"not certified: {', '.join(more)}")
    lacking = [name for name in stated if name not in columns]
    if lacking:
        return Finding(words, False, f"not there: {', '.join(lacking)}")
    return Finding(words, tuple(columns) == tuple(stated), "")


def _same(words: str, count: int, stated: int) -> Finding:
    if count == stated:
        return Finding(words, True)
    return Finding(words, False, counts=((stated, "stated"), (count, "found")))


def _kept(terms: Terms, counts: Counted, columns: Columns) -> Finding:
    hidden = [name for name in terms.needs if name not in columns]
    if hidden:
        why = f"'{hidden[0]}' is not published"
    elif any(len(columns[name]) != len(counts.of_row) for name in terms.needs):
        why = "the unpublished column has another number of rows"
    else:
        why = ""
    unseen = bool(why)
    if unseen:
        broken = refuted_by(terms, counts.sizes)
    else:
        broken = broken_by(terms, counts.of_row, columns, counts.counts)
    if not broken.classes:
        return Finding(terms.words, None if unseen else True, why)
    return Finding(terms.words, False, counts=((broken.classes, "records"), (broken.rows, "rows")))


def _refuse(verification: Verification) -> None:
    if verification.ok:
        return
    worst = next(finding for finding in verification.findings if finding.held is False)
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
    return int(people_in(of_row, columns[named[0]]).min()) if named else None
