"""Columns published as they are that make rows unique: a name, for whoever knows the column."""

from __future__ import annotations

from sparsam._errors import ReleaseError
from sparsam.anonymise.proof._certificate import Certificate

# Shares of the rows, and different values that are still labels; see refuse_unique.
MOST_RARE = 0.05
MOST_ALONE = 0.5
LABELS = 20


def refuse_unique(paper: Certificate) -> None:
    """Raise where columns that are published as they are single people out.

    Two people look at a release. One knows only these columns, such as what someone earns: rows
    whose values of them fewer than k rows have (`kept_few`) are as good as found. The other knows
    everything: whole rows that are unique. Values of a target or an illness differ inside a class,
    and must, so that some whole rows are unique in every release that says anything, and many in
    small classes that are diverse; so a column with few and common values passes, and one with many
    does not.

    Parameters
    ----------
    paper : Certificate
        What was counted in the release.

    Raises
    ------
    ReleaseError
        More than 5 % of the rows are of the first kind; or more than half are of the second, and
        the columns have more than 20 different values together.
    """
    whole = paper.whole_rows
    if whole is None or not paper.kept:
        return
    named = ", ".join(f"'{name}'" for name in paper.kept)
    if whole.kept_few > MOST_RARE * paper.n_rows:
        share, what = whole.kept_few, "values of them that fewer than k rows have"
    elif whole.kept_different > LABELS and whole.unique > MOST_ALONE * paper.n_rows:
        share, what = whole.unique, "a whole row that no other row is equal to"
    else:
        return
    raise ReleaseError(
        f"Columns published as they are must not make rows unique. {named}: "
        f"{share / paper.n_rows:.0%} of the {paper.n_rows:,} rows have {what}, and nothing was "
        "released.\n\nHint: leave the column out, name it as a quasi-identifier, publish a "
        "threshold of it as the target (such as 'income>50000'), or accept it: --accept-unique, "
        "in Python accept_unique=True."
    )
