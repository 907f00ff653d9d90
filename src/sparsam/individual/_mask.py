"""Which values of which person a training set keeps."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam._joined import supplied
from sparsam._writing import new_file
from sparsam.data import column_names, columns_of, is_frame
from sparsam.data.model import Replacement, replace_columns
from sparsam.individual._arrays import Bits, bits
from sparsam.individual._mask_document import FORMAT, MAX_ROWS, MAX_VALUES, VERSION, read_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Mask:
    """For each person, which of their values the training set keeps.

    It holds one bit for each person and attribute, and never a value. It deals with people whose
    data were already seen: it helps to decide what to retain, not what to ask for.

    Parameters
    ----------
    kept : array-like of bool of shape (n_people, n_attributes)
        True where the value is kept (the paper's B; its bottom sign is False). A value that is not
        there cannot be kept.
    attributes : sequence of str, optional
        The names of the attributes; `x0`, `x1`, ... when left out.
    algorithm, learner : str, default=""
        How the mask was found, and for which model.
    random_state : int, optional
        The seed that it was found with.
    facts : mapping of str to str or number, optional
        What else to state: figures with the split that they were measured on.
    rows : sequence of int, optional
        The numbers of the table's rows that the mask is about, from 0 and ascending; all rows of
        the table when left out.
    table_rows : int, optional
        How many rows the table has; needed with `rows`.
    n_values : int, optional
        How many values of these people there are to keep; all of them when left out. Shares are
        shares of these.

    References
    ----------
    Fioretto et al. 2024, "The Data Minimization Principle in Machine Learning", eq. 1.

    Examples
    --------
    >>> mask = Mask([[True, False], [False, False]], ["age", "income"], algorithm="by hand")
    >>> print(mask)
    2 people x 2 attributes: 25.00 % kept (1 of 4 values), by hand
    >>> mask.apply([[30.0, 1.0], [41.0, 2.0]])
    array([[30., nan],
           [nan, nan]])
    """

    def __init__(
        self,
        kept: ArrayLike,
        attributes: Sequence[str] | None = None,
        *,
        algorithm: str = "",
        learner: str = "",
        random_state: int | None = None,
        facts: Mapping[str, str | float | int] | None = None,
        rows: ArrayLike | None = None,
        table_rows: int | None = None,
        n_values: int | None = None,
    ) -> None:
        self.kept: Bits = bits(kept).copy()
        self.kept.flags.writeable = False
        wide = self.kept.shape[1]
        names = [f"x{j}" for j in range(wide)] if attributes is None else list(attributes)
        if len(names) != wide or not all(map(_is_text, names)) or len(set(names)) != wide:
            raise ParameterError(
                f"'attributes' must be {wide} different names, one per column of the mask. "
                f"Got {len(names)} instead."
            )
        self.attributes = tuple(names)
        self.algorithm = algorithm
        self.learner = learner
        self.random_state = random_state
        self.facts = dict(facts or {})
        if not all(isinstance(fact, str | int | float) for fact in self.facts.values()):
            raise ParameterError("'facts' must map names to texts or numbers.")
        self.n_values = self.kept.size if n_values is None else n_values
        whole = isinstance(self.n_values, int) and self.n_values > 0
        if not whole or not self.n_kept <= self.n_values <= self.kept.size:
            raise ParameterError(
                "'n_values' must be a whole number of values, at least those that are kept and at "
                "most all that the mask is about."
            )
        self.rows, self.table_rows = _covered(rows, table_rows, len(self.kept))
        if max(len(self.kept), self.table_rows or 0) * wide > MAX_VALUES:
            raise ParameterError(f"A mask's table must have at most {MAX_VALUES:,} values.")
        if self.rows is not None and len(self.rows) > MAX_ROWS:
            raise ParameterError(f"A mask must name at most {MAX_ROWS:,} 'rows'.")

    @property
    def whole(self) -> Bits:
        """The mask over all rows of the table: nothing is kept of rows that it is not about."""
        if self.rows is None or self.table_rows is None:
            return self.kept
        mask: Bits = np.zeros((self.table_rows, self.kept.shape[1]), np.bool_)
        mask[self.rows] = self.kept
        return mask

    @property
    def shape(self) -> tuple[int, int]:
        """People and attributes."""
        return self.kept.shape[0], self.kept.shape[1]

    @property
    def n_kept(self) -> int:
        """How many values are kept."""
        return int(self.kept.sum())

    @property
    def kept_share(self) -> float:
        """The share of the values that are there which is kept."""
        return self.n_kept / self.n_values

    @property
    def sparsity(self) -> float:
        """The share of the values that are there which goes: one minus the kept share."""
        return 1 - self.kept_share

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw which values are kept: a row for ten people or more, a column for an attribute.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's images,
            such as `interpolation`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> mask = Mask([[True, False]] * 60 + [[True, True]] * 40, ["age", "income"])
        >>> mask.plot().get_title(loc="left").replace("\\u00a0", " ")
        'Which values are kept of whom: 70.0 % of all'
        """
        axes: Axes = supplied("plot_mask")(self, ax, **style)
        return axes

    def with_facts(
        self,
        facts: Mapping[str, str | float | int],
        rows: ArrayLike | None = None,
        table_rows: int | None = None,
    ) -> Mask:
        """The same mask, with more to state: facts, or the rows of a table that it is about.

        Examples
        --------
        >>> Mask([[True]]).with_facts({"source": "people.csv"}).facts
        {'source': 'people.csv'}
        """
        return Mask(
            self.kept,
            self.attributes,
            algorithm=self.algorithm,
            learner=self.learner,
            random_state=self.random_state,
            facts={**self.facts, **facts},
            rows=self.rows if rows is None else rows,
            table_rows=self.table_rows if table_rows is None else table_rows,
            n_values=self.n_values,
        )

    def overlap(self, other: Mask) -> float:
        """The share of the smaller mask's kept values that the other one keeps too (figure 4).

        Examples
        --------
        >>> Mask([[True, False, True]]).overlap(Mask([[True, True, False]]))
        0.5
        """
        both = int((self.kept & bits(other.kept, self.shape)).sum())
        return both / max(1, min(self.n_kept, other.n_kept))

    def random_overlap(self, other: Mask) -> float:
        """The overlap that two independent random masks with as many kept values have on average.

        Examples
        --------
        >>> one = Mask([[True, False, False, False]])
        >>> one.random_overlap(one)
        0.25
        """
        bits(other.kept, self.shape)
        return max(self.kept_share, other.kept_share)

    def apply(self, rows: Any) -> Any:
        """Take away the values that are not kept: missing in a frame, NaN in a matrix.

        Parameters
        ----------
        rows : matrix, or pandas, polars or pyarrow frame, or mapping of arrays
            The table that the mask was found for, with its rows in the same order. A frame may
            have more columns: they stay. Of rows that the mask is not about no value stays.

        Returns
        -------
        The same kind of table.

        Examples
        --------
        >>> Mask([[True], [False]], ["age"]).apply({"age": np.array([30, 41]), "y": ["a", "b"]})
        {'age': array([30., nan]), 'y': ['a', 'b']}
        """
        if is_frame(rows):
            return self._apply_to_frame(rows)
        matrix = np.array(rows, np.float64)
        matrix[~bits(self.whole, matrix.shape)] = np.nan
        return matrix

    def _apply_to_frame(self, frame: Any) -> Any:
        if isinstance(frame, str | os.PathLike | list | tuple):
            raise DataError("A mask applies to a frame or to a matrix: read the file first.")
        present = column_names(frame)
        known = set(present)
        absent = [name for name in self.attributes if name not in known]
        if absent:
            raise DataError(f"The frame must have the mask's attributes. It lacks {absent}.")
        columns, kept = {}, self.whole
        for j, (name, values) in enumerate(columns_of(frame, self.attributes).items()):
            if len(values) != len(kept):
                raise DataError(
                    f"The frame must have the mask's {len(kept):,} rows. Got {len(values):,}."
                )
            # one place for each row, and the last one for what goes
            index = np.where(kept[:, j], np.arange(len(values)), len(values))
            columns[name] = Replacement([*values.tolist(), None], index)
        return replace_columns(frame, columns, [name for name in present if name not in columns])

    def header(self) -> dict[str, Any]:
        """All that the file states besides the bits, as plain data."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "shape": list(self.shape),
            "attributes": list(self.attributes),
            "kept": self.n_kept,
            "values": self.n_values,
            "kept_share": self.kept_share,
            "algorithm": self.algorithm,
            "learner": self.learner,
            "random_state": self.random_state,
            "facts": self.facts,
            "table_rows": self.table_rows,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the mask to a `.npz` file: packed bits and a JSON header.

        Parameters
        ----------
        path : str or Path
            A name that ends in `.npz`.
        """
        file = Path(path)
        if file.suffix != ".npz":
            raise ParameterError(f"A mask's file must end in '.npz'. Got '{file.name}' instead.")
        text = json.dumps(self.header(), ensure_ascii=False, allow_nan=False, sort_keys=True)
        header = np.frombuffer(text.encode(), np.uint8)
        arrays: dict[str, Any] = {"header": header, "bits": np.packbits(self.kept)}
        if self.rows is not None:
            arrays["rows"] = self.rows
        with new_file(file) as stream:
            np.savez_compressed(stream, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Mask:
        """Read a mask that `save` wrote.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Mask
        """
        if not Path(path).is_file():
            raise DataError(f"There is no file '{Path(path).name}'.")
        header, kept, rows = read_mask(path)
        try:
            return cls(
                kept,
                header.attributes,
                algorithm=header.algorithm,
                learner=header.learner,
                random_state=header.random_state,
                # Earlier files told the hash of the table, by which a row can be guessed.
                facts={name: fact for name, fact in header.facts.items() if name != "sha256"},
                rows=rows,
                table_rows=header.table_rows,
                n_values=header.values,
            )
        except (ParameterError, DataError) as error:
            raise DocumentError(str(error)) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mask):
            return NotImplemented
        same = np.array_equal(self.kept, other.kept) and np.array_equal(self.whole, other.whole)
        return self.header() == other.header() and bool(same)

    def __hash__(self) -> int:
        return hash((self.kept.tobytes(), self.attributes, self.algorithm, self.random_state))

    def __str__(self) -> str:
        people, wide = self.shape
        there = ""
        if self.n_values < self.kept.size:
            share = self.n_kept / self.kept.size
            there = f" that are there, {share:.2%} of all {self.kept.size:,}"
        text = (
            f"{people:,} people x {wide} attribute{'s' * (wide != 1)}: {self.kept_share:.2%} kept "
            f"({self.n_kept:,} of {self.n_values:,} values{there})"
        ).replace("%", " %")
        if self.algorithm:
            text += f", {self.algorithm}"
        if self.learner:
            text += f" for {self.learner}"
        return text if self.random_state is None else f"{text}, seed {self.random_state}"

    def __repr__(self) -> str:
        return f"<Mask: {self}>"


def _covered(
    rows: ArrayLike | None, table_rows: int | None, people: int
) -> tuple[NDArray[np.int64] | None, int | None]:
    """Check which rows of which table a mask is about."""
    if rows is None and table_rows is None:
        return None, None
    numbers = np.asarray([] if rows is None else rows)
    whole = numbers.dtype.kind in "iu"
    good = type(table_rows) is int and numbers.shape == (people,) and whole
    if not good or not _ascending(numbers, int(table_rows or 0)):
        raise ParameterError(
            f"'rows' must be {people:,} ascending row numbers, one per person of the mask, below "
            "'table_rows'."
        )
    places = numbers.astype(np.int64)
    places.flags.writeable = False
    return places, table_rows


def _ascending(numbers: NDArray[Any], end: int) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all() and numbers[0] >= 0 and int(numbers[-1]) < end)


def _is_text(name: Any) -> bool:
    return isinstance(name, str) and bool(name)
