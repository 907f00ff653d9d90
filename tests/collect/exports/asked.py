"""Generalizations that are hard to ask for: odd names, odd labels, many members."""

from __future__ import annotations

from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

AGE = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62], missing=3)
WAYS = CategoricalDomain(("bus", "car", "foot", "tram", "train", "boat"))
WAY = categorical_partition(
    "way_to_work", WAYS, [["car"], ["bus", "foot", "tram", "train"], ["boat"]], missing=2, unseen=1
)
SPARED = numeric_partition("income", NumericDomain(0, 9e5), [])
PEOPLE = Generalization([AGE, SPARED, WAY], {"target": "works"})

ODD_NAMES = (
    *("age", "Age", "AGE_2", "marital-status", "größe", "9 lives", " ", "_private", "class"),
    *("None", "meta", "json", "model_dump", "model_config", "Record", "Field", "match", "=1+1"),
    *("${age}", "\u202eevil", "quote\"'\\", "new\nline", "x" * 300, "日本語", "ﬁ"),
    *("instanceID", "<script>"),
)
ODD_LABELS = (
    *("${age}", "=cmd()", '"""', "\\", "a\nb", "\u202e", "<b>&amp;</b>", "  ", "{x}", "%s", "\x00"),
    *("__import__('os')", "日本語", "x" * 40_000),
)


def odd() -> Generalization:
    """Every odd name, each with odd labels."""
    domain = CategoricalDomain(tuple(f"value {place}" for place in range(len(ODD_LABELS))))
    groups = [[category] for category in domain.categories]
    return Generalization(
        categorical_partition(name, domain, groups, labels=ODD_LABELS) for name in ODD_NAMES
    )
