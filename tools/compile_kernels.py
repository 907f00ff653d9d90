"""Compile what `sparsam demo` and `sparsam minimise` need, once, so that the first run is quick.

Run after an installation: the kernels are kept in the user's cache folder, as they would be by the
first command. Nothing is read but the bundled example, and nothing is written elsewhere. With
`--all` the kernels of `sparsam anonymise` too, which take as long again: before the tests.
"""

from __future__ import annotations

import sys

import numpy as np

import sparsam as sp
from sparsam.anonymise import Anonymiser, Hybrid


def main() -> None:
    """Walk the whole flow on a few people."""
    some = sp.load_example().take(np.arange(3000))
    sp.sweep(some, sp.Roles("employed"), repeats=1).choose(max_utility_loss=0.5).report().to_html()
    if "--all" in sys.argv[1:]:
        columns = some.to_dict()
        anonymiser = Anonymiser(Hybrid(), quasi_identifiers=["age", "sex", "education"], k=10)
        anonymiser.fit_transform(columns, columns["employed"])


if __name__ == "__main__":
    main()
