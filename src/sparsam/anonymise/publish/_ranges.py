"""Ranges and sets in words: what the values of a class have in common, and nothing more."""

from __future__ import annotations

import json
import re

import numpy as np

from sparsam.anonymise.publish._tally import Places, Tally
from sparsam.data import Attribute, CategoricalDomain, NumericDomain
from sparsam.generalization._labels import ALL, category_label, number_label

# Texts that would read like a range or a set when they stand in one.
_AMBIGUOUS = re.compile(r', | – | or missing$|^"|^missing$|^' + ALL + "$")


def ranges(attribute: Attribute, tally: Tally) -> list[str | None]:
    """Say the values of every class in words: "30–39", "nurse, teacher", "all values".

    A range is from the smallest to the largest number of the class, both included. A class in which
    some values are missing says so; one in which all are missing is published as missing.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally

    Returns
    -------
    list of str or None
    """
    words = (
        _intervals(attribute, attribute.domain, tally)
        if isinstance(attribute.domain, NumericDomain)
        else _sets(attribute.domain, tally)
    )
    holes, known = tally.n_missing.tolist(), tally.n_known.tolist()
    return [
        None if not some else f"{text} or missing" if hole else text
        for text, hole, some in zip(words, holes, known, strict=True)
    ]


def _intervals(attribute: Attribute, domain: NumericDomain, tally: Tally) -> list[str]:
    low, high = tally.ends()
    none = low == tally.missing
    smallest = attribute.lows[np.where(none, 0, low)].tolist()
    largest = attribute.highs[np.where(none, 0, high)].tolist()
    return [interval_label(a, b, domain) for a, b in zip(smallest, largest, strict=True)]


def interval_label(low: float, high: float, domain: NumericDomain) -> str:
    """Write the range from a number to another, both included.

    Examples
    --------
    >>> interval_label(30, 39, NumericDomain(0, 99, integer=True))
    '30–39'
    >>> interval_label(0.5, 2, NumericDomain(0, 9)), interval_label(3, 3, NumericDomain(0, 9))
    ('0.5 to 2', '3')
    """
    if low == high:
        return number_label(low)
    dash = "–" if domain.integer and low >= 0 else " to "
    return f"{number_label(low)}{dash}{number_label(high)}"


def _sets(domain: CategoricalDomain, tally: Tally) -> list[str]:
    names = [_quoted(category_label(category)) for category in domain.categories]
    made: dict[bytes, str] = {}  # many classes share a set
    found = []
    for codes in tally.members():
        key = codes.tobytes()
        if key not in made:
            made[key] = set_label(names, codes[codes < tally.missing], ordered=domain.ordered)
        found.append(made[key])
    return found


def set_label(names: list[str], codes: Places, *, ordered: bool) -> str:
    """Write a set of categories: their names, the ends of a run, or that it is all of them.

    Examples
    --------
    >>> names = ["low", "middle", "high", "top"]
    >>> set_label(names, np.array([0, 2]), ordered=True)
    'low, high'
    >>> set_label(names, np.array([0, 1, 2]), ordered=True)
    'low – high'
    """
    if len(codes) == len(names) > 1:
        return ALL
    if ordered and len(codes) > 2 and codes[-1] - codes[0] == len(codes) - 1:
        return f"{names[codes[0]]} – {names[codes[-1]]}"
    return ", ".join(names[code] for code in codes)


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False) if _AMBIGUOUS.search(name) else name
