"""Deal the rows into folds that take turns."""

from __future__ import annotations

import numpy as np

from sparsam._errors import DataError
from sparsam.data._split import Split
from sparsam.data._task import Task


def rotations(task: Task, folds: int, random_state: int = 0) -> list[Split]:
    """Deal the rows into folds; each is once the test part, the next one the validation part.

    Parameters
    ----------
    task : Task
    folds : int
        At least 3.
    random_state : int, default=0

    Returns
    -------
    list of Split
        As many as there are folds.

    Examples
    --------
    >>> from sparsam.data import Roles, load_example, resolve
    >>> rotations(resolve(load_example(), Roles("employed")), 5)[0]
    Split(12,000 / 4,000 / 4,000 rows, random_state=0)
    """
    if not 3 <= folds <= task.n_rows:
        raise DataError(
            f"The number of folds must be from 3 to the number of rows, {task.n_rows}. Got {folds}."
        )
    order = np.random.default_rng(random_state).permutation(task.n_rows)
    parts = [np.sort(part) for part in np.array_split(order, folds)]
    share = 1 / folds
    made = []
    for turn in range(folds):
        test, validation = parts[turn], parts[(turn + 1) % folds]
        used = {turn, (turn + 1) % folds}
        train = np.sort(np.concatenate([p for i, p in enumerate(parts) if i not in used]))
        rows = (train, validation, test)
        made.append(
            Split(
                train=task.take(train),
                validation=task.take(validation),
                test=task.take(test),
                random_state=random_state,
                fractions=(1 - 2 * share, share, share),
                rows=rows,
            )
        )
    return made
