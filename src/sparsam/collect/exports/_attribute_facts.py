"""What it takes to put a raw value into its bucket, as plain data that any language can read."""

from __future__ import annotations

from typing import Any

from sparsam.generalization import NumericPartition, Partition


def attribute_facts(partition: Partition) -> dict[str, Any]:
    """Return what `bucket.js` needs to know of an attribute.

    Parameters
    ----------
    partition : Partition

    Returns
    -------
    dict
        ``name``, ``labels`` and ``missing`` (the bucket, or None where a missing value is refused).
        Of numbers also ``cuts``, and as far as they apply ``range`` (numbers outside are refused),
        ``unit`` ("date": numbers are days since 1970-01-01; "time": minutes since midnight) and
        ``age_on``. Of categories also ``groups`` and ``unseen``.

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> attribute_facts(numeric_partition("age", NumericDomain(0, 99, integer=True), [18]))
    {'name': 'age', 'labels': ['under 18', '18 and over'], 'missing': None, 'cuts': [18]}
    """
    facts: dict[str, Any] = {
        "name": partition.name,
        "labels": list(partition.labels),
        "missing": partition.missing,
    }
    if not isinstance(partition, NumericPartition):
        groups = [list(group) for group in partition.groups]
        return {**facts, "groups": groups, "unseen": partition.unseen}
    domain = partition.domain
    facts["cuts"] = [_number(cut) for cut in partition.cuts]
    if partition.beyond == "error":
        facts["range"] = [_number(domain.low), _number(domain.high)]
    if domain.unit is not None:
        facts["unit"] = domain.unit
    if domain.age_on is not None:
        facts["age_on"] = domain.age_on
    return facts


def _number(value: float) -> float:
    """A plain number, short where it is whole: a day of a domain would write itself as text."""
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
