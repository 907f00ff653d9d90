"""Raw records in, what the unchanged model is fed out, in the user's own columns and types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data import OwnRecords, Roles, column_names, columns_of, count_rows, open_as
from sparsam.data.model import (
    Replacement,
    Slices,
    check_slices,
    open_own,
    replace_columns,
    select,
)
from sparsam.generalization import Recoding
from sparsam.generalization.recoding import Feed, raw_buckets


@dataclass(frozen=True)
class OwnFeed:
    """What is known of the user's own columns, so that new records can be fed to the model.

    Attributes
    ----------
    columns : tuple of str
        The columns that the model takes, in its order.
    slices : tuple of Slices
        Which of them are one attribute.
    empty : tuple of str
        Columns without any value in the sample, which stay without.
    roles : Roles
        The texts that mean missing.
    own_missing : mapping of str to text or number
        For an attribute what stands for missing in its column.
    """

    columns: tuple[str, ...]
    slices: tuple[Slices, ...]
    empty: tuple[str, ...]
    roles: Roles
    own_missing: Mapping[str, Any]

    @classmethod
    def learn(
        cls,
        records: OwnRecords,
        slices: Mapping[str, Any] | None,
        roles: Roles,
        wanted: tuple[str, ...] | None,
    ) -> OwnFeed:
        """Keep what is needed of the records, but none of their rows.

        Parameters
        ----------
        records : OwnRecords
        slices : mapping of str to sequence of str, or None
        roles : Roles
        wanted : tuple of str or None
            The order that the model wants its columns in, where it says so.
        """
        joined = tuple(
            part
            for part in check_slices(slices, records.columns)
            if part.name in records.table.names
        )
        known = {*records.table.names, *(column for part in joined for column in part.columns)}
        empty = tuple(name for name in records.columns if name not in known)
        own_missing = {}
        for attribute in records.table.attributes:
            texts = roles.missing_texts(attribute.name)
            if texts and attribute.missing and attribute.name in records.columns:
                value = records.own_values(attribute.name)[attribute.n_values]
                if value is not None and value == value:  # noqa: PLR0124 - NaN
                    own_missing[attribute.name] = value
        return cls(wanted or records.columns, joined, empty, roles, own_missing)

    def __call__(self, recoding: Recoding, X: Any) -> Any:
        """What the model is fed for raw records.

        Parameters
        ----------
        recoding : Recoding
        X : frame, mapping, array or path
        """
        raw = self.raw(X, recoding.generalization.collected)
        replacements: dict[str, Replacement] = {}
        for name, new in _replacements(recoding, raw, count_rows(X)).items():
            slices = next((slices for slices in self.slices if slices.name == name), None)
            if slices is None:
                replacements[name] = self._with_own_missing(name, new)
            else:
                replacements |= slices.expand(new, _holds_flags(X, slices))
        nothing = np.zeros(count_rows(X), np.intp)
        replacements |= {name: Replacement([None], nothing) for name in self.empty}
        native = open_own(open_as(X, self.roles)).native
        if isinstance(native, np.ndarray):
            columns = dict(zip(column_names(X), native.T, strict=True))
            fed = replace_columns(columns, {name: replacements[name] for name in self.columns})
            return np.column_stack([fed[name] for name in self.columns])
        return select(replace_columns(native, replacements), self.columns)

    def raw(self, X: Any, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
        """The raw columns of some attributes: slices joined, texts that mean missing taken out.

        Parameters
        ----------
        X : frame, mapping, array or path
        names : tuple of str
        """
        joined = {part.name: part for part in self.slices}
        values, source = {}, open_as(X, self.roles)
        for name in names:
            if name in joined:
                values[name] = joined[name].column(source.columns(joined[name].columns)).values
            else:
                values[name] = source.columns([name])[name]
        return values

    def _with_own_missing(self, name: str, new: Replacement) -> Replacement:
        if name not in self.own_missing:
            return new
        own = [self.own_missing[name] if value is None else value for value in new.values]
        return Replacement(own, new.index)


def _replacements(
    recoding: Recoding, raw: Mapping[str, NDArray[Any]], n_rows: int
) -> dict[str, Replacement]:
    g = recoding.generalization
    codes = raw_buckets(g, raw) if raw else np.zeros((n_rows, len(g)), np.uint16)
    feed = Feed(g, recoding.representatives, recoding.nodes)
    return feed.replacements(codes, recoding.leaf_of(codes))


def _holds_flags(X: Any, slices: Slices) -> bool:
    there = [name for name in slices.columns if name in column_names(X)]
    return bool(there) and columns_of(X, there[:1])[there[0]].dtype == bool
