"""A generalization, and coarser ones."""

from __future__ import annotations

from sparsam.collect import Target
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

AGE = NumericDomain(0, 99, integer=True)
JOBS = CategoricalDomain(("cook", "smith", "nurse", "judge"))
TARGET = Target("employed", ("no", "yes"))


def generalization(cuts, groups, *, missing=None, income=()):
    """Ages between cuts, jobs in groups, and an income that need not be collected."""
    return Generalization(
        [
            numeric_partition("age", AGE, cuts),
            numeric_partition("income", NumericDomain(0, 10**6), list(income)),
            categorical_partition("Job title", JOBS, groups, missing=missing),
        ]
    )


# nine ages, five jobs with one for missing
FINE = generalization(
    [10, 20, 30, 40, 50, 60, 70, 80], [["cook"], ["smith"], ["nurse"], ["judge"]], missing=4
)
# three ages, three jobs
COARSE = generalization([30, 60], [["cook", "smith"], ["nurse", "judge"]], missing=2)
# jobs alone, missing among the first
COARSEST = generalization([], [["cook", "smith"], ["nurse", "judge"]], missing=0)

# Twelve attributes of 128 buckets each: a record is twelve letters, which can be looked for in
# files as they are.
LETTERS = Generalization(
    numeric_partition(f"letter_{place}", NumericDomain(0, 127, integer=True), range(1, 128))
    for place in range(12)
)
HALF = Generalization(
    numeric_partition(f"letter_{place}", NumericDomain(0, 127, integer=True), [64])
    for place in range(12)
)
