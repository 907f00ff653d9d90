"""Apply what the user declares to a table that was read before it was declared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparsam._checks import check_names
from sparsam._errors import DataError
from sparsam.data._attribute import Attribute
from sparsam.data._domain import CategoricalDomain, NumericDomain
from sparsam.data._infer import encode_column
from sparsam.data._roles import Roles
from sparsam.data._table import Table
from sparsam.data.source._source import Column


def declare(table: Table, roles: Roles, max_codes: int = 256) -> Table:
    """Return the table with the declared kinds, orders, domains and missing values.

    A table that was read with the same roles comes back as it is.

    Parameters
    ----------
    table : Table
        The table.
    roles : Roles
        What the user declares.
    max_codes : int, default=256
        See `read`.
    """
    for role in ("numeric", "categorical", "ordered", "domains"):
        check_names(getattr(roles, role), [*table.names, *table.left_out], role)
    for attribute in table.attributes:
        if not _fits(attribute, roles):
            table = _again(table, attribute, roles, max_codes)
    return table


def _fits(attribute: Attribute, roles: Roles) -> bool:
    name, domain = attribute.name, attribute.domain
    if name in roles.ordered:
        return domain == CategoricalDomain(tuple(roles.ordered[name]), ordered=True)
    if name in roles.domains:
        return domain == roles.domains[name]
    if isinstance(domain, NumericDomain):
        return name not in roles.categorical
    return name not in roles.numeric and not set(roles.missing_values) & set(domain.categories)


def _again(table: Table, attribute: Attribute, roles: Roles, max_codes: int) -> Table:
    declared, codes = roles.domains.get(attribute.name), table.column(attribute.name)
    if isinstance(declared, NumericDomain) and attribute.numeric:
        return table.with_column(_ranged(attribute, declared), codes)
    if attribute.binned:
        raise DataError(
            f"'{attribute.name}' was cut into bins on reading, before it was declared categorical."
            "\n\nHint: read the table with these roles: read(source, roles=roles)."
        )
    values = attribute.decode(codes)
    found = encode_column(Column(attribute.name, values), roles, max_codes)
    if found is None:
        raise DataError(f"'{attribute.name}' has no values at all.\n\nHint: drop it.")
    return table.with_column(found.attribute, found.codes)


def _ranged(attribute: Attribute, declared: NumericDomain) -> Attribute:
    values = np.concatenate([attribute.lows, attribute.highs])
    outside = (values < declared.low) | (values > declared.high)
    broken = (np.floor(values) != values) & declared.integer
    if (outside | broken).any():
        raise DataError(
            f"'{attribute.name}' must lie in its declared domain. It holds numbers that do not."
            "\n\nHint: widen the declared domain, or correct the rows."
        )
    return replace(attribute, domain=declared)
