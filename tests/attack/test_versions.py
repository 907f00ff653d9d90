"""Two versions on the same people: each alone, and both together."""

from __future__ import annotations

import numpy as np

from sparsam.attack import MultiBreach, Reconstruction, attack_versions
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, changes, numeric_partition


def version(*cuts, secret=False):
    """Numbers 0 to 3 cut somewhere; the secret is never collected, and perhaps not known."""
    parts = [numeric_partition("n", NumericDomain(0, 3, integer=True), list(cuts))]
    if secret:
        parts.append(categorical_partition("secret", CategoricalDomain(()), []))
    return Generalization(parts)


def test_what_neither_version_tells_alone_both_tell_together(make_split):
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 4, 1200)
    data = make_split({"n": numbers, "secret": (numbers == 1).astype(int) | (numbers == 3)},
                      ["secret"], numeric=["n"])  # fmt: skip
    compared = changes(version(1, 3), version(2, secret=True))
    risks = attack_versions(compared, data)
    assert risks.together.value == 0.0
    assert min(risks.before.value, risks.after.value) > 0.1
    old, new = compared.versions()
    alone = MultiBreach([old], Reconstruction()).attack(new, data).details["single_breaches"]
    assert [risks.after.value, risks.before.value] == alone
    assert risks.facts()["together"]["id"] == "A6"
