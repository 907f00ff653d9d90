"""Draw as many people as are needed to choose on; everyone else is counted where they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparsam.data._task import Task
from sparsam.data.sample._others import Others, OthersAtHome, SeveralOthers

# More people tell candidates apart no better, and take minutes: of ten million people 300,000 gave
# a privacy tree the accuracy and the risk that all of them gave.
MOST_PEOPLE = 300_000


def draw_people(task: Task, most: int = MOST_PEOPLE, random_state: int = 0) -> Task:
    """All people, or so many of them, drawn at random, with everyone else to be counted.

    Parameters
    ----------
    task : Task
    most : int, default=300000
    random_state : int, default=0

    Returns
    -------
    Task

    Examples
    --------
    >>> import sparsam as sp
    >>> task = draw_people(sp.resolve(sp.load_example(), sp.Roles("employed")), 5000)
    >>> task.n_rows, task.others.n_people
    (5000, 15000)
    """
    if task.n_rows <= most:
        return task
    drawn = np.zeros(task.n_rows, dtype=bool)
    drawn[np.random.default_rng(random_state).permutation(task.n_rows)[:most]] = True
    others: Others = OthersAtHome(task, np.flatnonzero(~drawn))
    if task.others is not None:
        others = SeveralOthers([others, task.others])
    return replace(task.take(drawn), others=others)
