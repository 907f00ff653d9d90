"""How small may the sample at full resolution be? (Staab et al., figure 8)

    python benchmarks/sample_size.py

The minimiser learns from a share of the training part, classifiers and adversaries from all of it.
All four years of Massachusetts: about as many people as the paper has. Prints the area under the
front and its ratio to that with the whole training part.
"""

from __future__ import annotations

from sparsam.assess import sweep
from sparsam.data import split
from tables import acs_employment

SHARES = (1.0, 0.05, 0.01)


def main() -> None:
    parts = split(acs_employment(2015, 2016, 2017, 2018))
    whole = None
    for share in SHARES:
        front = sweep(parts, minimisers="privacy tree", sample=share)
        area = front.area()
        whole = whole or area
        people = round(share * parts.train.n_rows)
        print(f"{share:>5.0%} ({people:,} people): area {area:.4f}, {area / whole:.1%}", flush=True)


if __name__ == "__main__":
    main()
