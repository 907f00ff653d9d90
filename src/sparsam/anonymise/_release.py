"""Put a release in its place: shuffled, written, read again, certified from what was read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError, ReleaseError
from sparsam._writing import draft_of, put_in_place
from sparsam.anonymise.proof._cells import cells_hash
from sparsam.anonymise.proof._certificate import Certificate
from sparsam.anonymise.proof._verify import certify
from sparsam.data import column_names, columns_of, write_columns
from sparsam.data.source import check_spreadsheet, output_ending, without_formulas


@dataclass(frozen=True, eq=False)
class Release:
    """A published file that is in its place, and the certificate of what it holds.

    Attributes
    ----------
    path, certificate_path : Path
        Where the release and its certificate are.
    certificate : Certificate
        What the release promises, checked from the cells of the file.
    unpublished : dict of str to ndarray
        Columns that promises speak about and that are not published, such as whose row it is, in
        the order of the file: `verify(path, certificate, unpublished=...)` checks all promises with
        them. They never leave the house.
    """

    path: Path
    certificate_path: Path
    certificate: Certificate
    unpublished: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)


def beside(path: str | os.PathLike[str]) -> Path:
    """Return where the certificate of a release goes by default.

    Examples
    --------
    >>> beside("out/people.csv.gz").name
    'people.certificate.json'
    """
    file = Path(path)
    return file.with_name(f"{file.name[: -len(output_ending(file))]}.certificate.json")


def check_place(
    path: str | os.PathLike[str],
    certificate_path: str | os.PathLike[str] | None = None,
    *,
    spreadsheet_safe: bool = False,
) -> None:
    """Raise unless a release can be written so, before any work is done for it.

    Parameters
    ----------
    path, certificate_path, spreadsheet_safe
        See `put_release`.
    """
    output_ending(path)
    if spreadsheet_safe:
        check_spreadsheet(path)
    if certificate_path is not None and Path(certificate_path).resolve() == Path(path).resolve():
        raise ParameterError(
            f"A release and its certificate must be two files. Got '{Path(path).name}' for both."
        )


def put_release(
    frame: Any,
    certificate: Certificate,
    path: str | os.PathLike[str],
    certificate_path: str | os.PathLike[str] | None = None,
    *,
    promised: Mapping[str, NDArray[Any]] | None = None,
    random_state: int = 0,
    spreadsheet_safe: bool = False,
) -> Release:
    """Write a release that was checked, read it again, certify what was read, put it in place.

    Parameters
    ----------
    frame : pandas, polars or pyarrow frame, mapping of arrays or ndarray
        What is to be published, all of it.
    certificate : Certificate
        What was found when these cells were checked.
    path : str or path
        A .parquet, .csv or .tsv file (text also as .gz).
    certificate_path : str or path, optional
        By default beside the release.
    promised : mapping of str to ndarray, optional
        Columns that promises speak about, for the rows of the frame.
    random_state : int, default=0
        For the order of the rows, see `row_order`.
    spreadsheet_safe : bool, default=False
        Put an apostrophe before texts that a spreadsheet would run. Not for .parquet.

    Returns
    -------
    Release

    Raises
    ------
    ReleaseError
        The file breaks a promise, or has other cells than those that were checked.
    """
    order = row_order(frame, random_state)
    cells = {n: values[order] for n, values in columns_of(frame, column_names(frame)).items()}
    hidden = {
        name: values[order]
        for name, values in sorted((promised or {}).items())
        if name not in certificate.columns
    }
    checked = certificate.sha256
    if spreadsheet_safe:
        cells = without_formulas(cells)
        checked = cells_hash(cells)
    paper_path = beside(path) if certificate_path is None else Path(certificate_path)
    with draft_of(path) as draft:
        write_columns(cells, draft)
        # Writing may change a cell, so that only what is read again can be certified.
        paper = certify(
            draft,
            certificate.quasi_identifiers,
            certificate.demands,
            suppressed=certificate.suppressed,
            unpublished=hidden,
            information_loss=certificate.information_loss,
            parameters=certificate.parameters,
        )
        if paper.sha256 != checked:
            raise ReleaseError(
                "The file must have the cells that were checked. It has others after it was "
                "written, and nothing was released.\n\nHint: a .parquet file keeps values as they "
                "are."
            )
        # A certificate without its release proves nothing; a release without one could be used.
        paper.save(paper_path)
        put_in_place(draft, path)
    return Release(Path(path), paper_path, paper, hidden)


def row_order(release: Any, random_state: int = 0) -> NDArray[np.int64]:
    """Draw an order of rows that depends on what is published and on the seed, and on nothing else.

    Who stands at which place in a table is known to many: tables are kept by name, by number, by
    date. Rows are sorted by their published cells first: shuffled as they came, whoever knows the
    seed could undo it.

    Parameters
    ----------
    release : frame, mapping of arrays, ndarray, Table or path
    random_state : int, default=0

    Returns
    -------
    ndarray of int
        For each place the row that goes there.
    """
    columns = columns_of(release, column_names(release))
    ranks = [_ranks(values) for values in columns.values()]
    order = np.lexsort(ranks[::-1])
    places: NDArray[np.int64] = order[np.random.default_rng(random_state).permutation(len(order))]
    return places


def _ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    """The place of every value among all of them; objects by their types and texts."""
    if values.dtype.kind not in "biufUSMm":
        listed = values.tolist()
        if {*map(type, listed)} <= {str, type(None)}:  # of which equal ones have equal texts
            places = {value: rank for rank, value in enumerate(sorted({*listed}, key=_text_of))}
            return np.fromiter(map(places.__getitem__, listed), np.int64, len(listed))
        values = np.array([_text_of(value) for value in listed])
    _, place = np.unique(values, return_inverse=True)
    return place.ravel().astype(np.int64)


def _text_of(value: object) -> str:
    return f"{type(value).__name__} {value}"
