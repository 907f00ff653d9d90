"""The control: does a generalization betray the sample it was learned from?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sparsam._errors import DataError
from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._records import GeneralizedRecords
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import mean_interval, unpaired_difference
from sparsam.data import Split
from sparsam.generalization import Generalization

FEWEST = 20


@dataclass(frozen=True)
class Control:
    """Attack people who were in the minimiser's sample, and people who were not.

    The adversary learns from people who were not in the sample, and attacks both. Cut points are
    learned from the sample; if they fitted it too closely, its people would be recovered more
    often than others.

    Parameters
    ----------
    reconstruction : Reconstruction

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> control = Control(sp.Reconstruction()).attack(tree.generalization_, data)
    >>> control.id, control.split
    ('control', 'train')
    """

    id: ClassVar[str] = "control"
    name: ClassVar[str] = "control (A1 on the sample)"

    reconstruction: Reconstruction = field(default_factory=Reconstruction)

    def attack(self, generalization: Generalization, data: Split) -> Risk:
        """Attack the training part, with people of the other parts as control.

        Returns
        -------
        Risk
            `value` is that on people of the sample, `baseline` that on people outside it: an
            advantage whose interval, in `details`, lies above 0 is what the sample pays for its
            cut points.
        """
        rest = data.validation.join(data.test)
        if rest.n_rows < FEWEST:
            raise DataError(
                f"A control needs at least {FEWEST} people outside the sample. Got {rest.n_rows}."
            )
        order = np.random.default_rng(self.reconstruction.random_state).permutation(rest.n_rows)
        learn, choose, outside = np.split(order, [rest.n_rows // 2, rest.n_rows * 5 // 8])
        n_sample = data.train.n_rows
        everyone = Split(
            train=rest.take(np.sort(learn)),
            validation=rest.take(np.sort(choose)),
            test=data.train.join(rest.take(np.sort(outside))),
            random_state=data.random_state,
            fractions=data.fractions,
            rows=data.rows,
        )
        records = GeneralizedRecords.of(generalization, everyone)
        wrong = self.reconstruction.guess(records, everyone).wrong("test").mean(axis=1)
        inside, control = wrong[:n_sample], wrong[n_sample:]
        return Risk(
            adversary=self.name,
            id=self.id,
            measure="error",
            value=float(inside.mean()),
            baseline=float(control.mean()),
            interval=mean_interval(inside),
            n=len(inside),
            split="train",
            random_state=self.reconstruction.random_state,
            details={
                "advantage_interval": list(unpaired_difference(control, inside)[1]),
                "control_interval": list(mean_interval(control)),
                "control_records": len(control),
            },
        )
