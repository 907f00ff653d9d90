"""Fit on Massachusetts 2015, attack and classify 2016 to 2018 (Staab et al., figure 15).

    python benchmarks/drift.py

Prints classifier and adversary error by year, and the largest change against 2015.
"""

from __future__ import annotations

import duckdb

from sparsam.assess import drift
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree
from tables import DATA

SETTINGS = ((4, 0.7), (20, 0.7), (20, 0.3), (50, 0.3), (200, 0.0))


def main() -> None:
    frame = duckdb.sql(f"select * from '{DATA}/acs_employment_MA_2015_2018.parquet'")
    numeric = ("AGEP", "SCHL")
    categorical = [name for name in frame.columns if name not in (*numeric, "year")]
    roles = Roles("employed", numeric=numeric, categorical=categorical)
    for leaves, privacy in SETTINGS:
        tree = PrivacyTree(max_leaves=leaves, privacy=privacy)
        found = drift(frame, roles, "year", tree)
        years = ", ".join(
            f"{year}: {one.utility.error:.4f} / {one.risk.value:.4f}"
            for year, one in found.assessments.items()
        )
        changes = found.changes().values()
        utility = max(abs(change[0]) for change in changes)
        risk = max(abs(change[1]) for change in changes)
        print(f"k* {leaves}, alpha {privacy}: classifier / adversary error {years}")
        print(f"  largest change: classifier {utility:.4f}, adversary {risk:.4f}")


if __name__ == "__main__":
    main()
