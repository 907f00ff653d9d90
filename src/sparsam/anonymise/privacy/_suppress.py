"""Leave out those who cannot be published, and no more of them than allowed."""

from __future__ import annotations

import numpy as np

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise._classes import Classes
from sparsam.anonymise.privacy._base import PrivacyModel


def suppress(classes: Classes, model: PrivacyModel, budget: float = 1.0) -> Classes:
    """Suppress every class that a privacy model refuses, so that the rest may be published.

    What is left is judged again as a release of its own, until nothing more is refused.

    Parameters
    ----------
    classes : Classes
        For instance of new rows, which were routed through a tree that others grew.
    model : PrivacyModel
        Bound to the same rows.
    budget : float, default=1
        The largest share of the rows that may be suppressed, those before included.

    Returns
    -------
    Classes
        With the same numbers; `n_suppressed` says how many rows are left out.

    Raises
    ------
    DataError
        More rows than allowed would have to be suppressed.

    Examples
    --------
    >>> from sparsam.anonymise.privacy._privacy_models import KAnonymity
    >>> suppress(Classes(np.array([0, 0, 1, 2, 2]), 3), KAnonymity(2)).of_row.tolist()
    [0, 0, -1, 2, 2]
    """
    if not 0 <= budget <= 1:
        raise ParameterError(
            f"The 'budget' parameter of suppress must be a number from 0 to 1. Got {budget!r} "
            "instead."
        )
    of_row = classes.of_row.copy()
    while True:
        demand = model.among(np.flatnonzero(of_row >= 0))
        found = Classes(of_row, classes.n_classes)
        refused = [i for i, rows in enumerate(found.rows()) if len(rows) and not demand.holds(rows)]
        if not refused:
            break
        of_row[np.isin(of_row, refused)] = -1
    if found.n_suppressed > budget * len(of_row):
        raise DataError(
            f"At most {budget:.1%} of the {len(of_row):,} rows may be suppressed. It would take "
            f"{found.n_suppressed:,}.\n\nHint: ask for less, or divide the table more coarsely."
        )
    return found
