"""Fit on Massachusetts 2015, attack and classify 2016 to 2018 (Staab et al., figure 15).

    python benchmarks/drift.py

Prints classifier and adversary error by year, and the largest change against 2015.
"""

from __future__ import annotations

from typing import Any

import duckdb

from sparsam.assess import drift
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree
from tables import DATA

SETTINGS = ((4, 0.7), (20, 0.7), (20, 0.3), (50, 0.3), (200, 0.0))


def by_year(leaves: int, privacy: float, share: int = 100) -> Any:
    """Fit on 2015 and judge every year; all people of the file, or some per cent of them."""
    source = f"'{DATA}/acs_employment_MA_2015_2018.parquet'"
    frame = duckdb.sql(
        f"select * from {source} using sample {share} percent (bernoulli, 1)"
        if share < 100
        else f"select * from {source}"
    )
    numeric = ("AGEP", "SCHL")
    categorical = [name for name in frame.columns if name not in (*numeric, "year")]
    roles = Roles("employed", numeric=numeric, categorical=categorical)
    return drift(frame, roles, "year", PrivacyTree(max_leaves=leaves, privacy=privacy))


def largest(found: Any) -> tuple[float, float]:
    """The largest change against the first year: of the classifier, and of the adversary."""
    changes = found.changes().values()
    return max(abs(c[0]) for c in changes), max(abs(c[1]) for c in changes)


def main() -> None:
    for leaves, privacy in SETTINGS:
        found = by_year(leaves, privacy)
        years = ", ".join(
            f"{year}: {one.utility.error:.4f} / {one.risk.value:.4f}"
            for year, one in found.assessments.items()
        )
        utility, risk = largest(found)
        print(f"k* {leaves}, alpha {privacy}: classifier / adversary error {years}")
        print(f"  largest change: classifier {utility:.4f}, adversary {risk:.4f}")


if __name__ == "__main__":
    main()
