"""Drift: does a generalization that was learned once still hold later?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from sparsam._errors import DataError, ParameterError
from sparsam._joined import supplied
from sparsam.assess._assessment import Assessment, assess_generalization
from sparsam.attack import Reconstruction
from sparsam.data import Roles, Task, read, resolve, split
from sparsam.minimise import Minimiser

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Drift:
    """One generalization, assessed period by period.

    Attributes
    ----------
    assessments : mapping of str to Assessment
        The first period is the one that was learned from (its test part); in the later ones the
        classifier and the adversary are still those of the first.
    """

    assessments: Mapping[str, Assessment]

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw how wrong the model and the adversary are in each period.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's lines,
            such as `linewidth`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import sparsam as sp
        >>> people = sp.load_example().take(range(1000)).to_dict()
        >>> people["year"] = ["2023"] * 500 + ["2024"] * 500
        >>> tree = sp.PrivacyTree(sp.Roles("employed"), max_leaves=4)
        >>> axes = drift(people, sp.Roles("employed"), "year", tree).plot()
        >>> [tick.get_text() for tick in axes.get_xticklabels()]
        ['2023', '2024']
        """
        axes: Axes = supplied("plot_drift")(self, ax, **style)
        return axes

    def changes(self) -> dict[str, tuple[float, float]]:
        """Change of classifier error and of adversary error against the first period."""
        first, *_ = self.assessments.values()
        return {
            period: (later.utility.error - first.utility.error, later.risk.value - first.risk.value)
            for period, later in self.assessments.items()
        }


def drift(
    data: Any,
    roles: Roles,
    by: str,
    minimiser: Minimiser,
    *,
    adversary: Reconstruction | None = None,
    random_state: int = 0,
) -> Drift:
    """Learn on the first period, and attack and use the result in all of them.

    Parameters
    ----------
    data : frame, path or mapping
    roles : Roles
    by : str
        The column that says to which period a record belongs; not an attribute.
    minimiser : Minimiser
        Learns the generalization; left as it was.
    adversary : Reconstruction, optional
    random_state : int, default=0

    Returns
    -------
    Drift

    Examples
    --------
    >>> import numpy as np
    >>> import sparsam as sp
    >>> people = sp.load_example().select(["age", "sex", "employed"]).take(range(2000)).to_dict()
    >>> people["year"] = np.repeat([2019, 2020], 1000)
    >>> found = drift(people, sp.Roles("employed"), "year", sp.PrivacyTree(max_leaves=4))
    >>> sorted(found.assessments)
    ['2019', '2020']
    """
    periods = list(_periods(data, roles, by))
    if len(periods) < 2:
        raise DataError(f"'{by}' must tell at least two periods apart. Got {len(periods)}.")
    (first_name, first), *later = periods
    parts = split(first, random_state=random_state)
    learned = clone(minimiser).fit_task(parts.train)
    assessments = {}
    for name, task in [(first_name, parts.test), *later]:
        assessments[name] = assess_generalization(
            learned.generalization_,
            replace(parts, test=task),
            adversary=adversary,
            random_state=random_state,
        )
    return Drift(assessments)


def _periods(data: Any, roles: Roles, by: str) -> Iterator[tuple[str, Task]]:
    if by in roles.identifiers:
        raise ParameterError(f"'{by}' must not be an identifier: it tells the periods apart.")
    categorical = (*roles.categorical, by) if by not in roles.categorical else roles.categorical
    table = read(data, roles=replace(roles, categorical=categorical))
    attribute, codes = table.attribute(by), table.column(by)
    task = resolve(table.drop([by]), roles)
    for code in range(attribute.n_values):
        rows = np.flatnonzero(codes == code)
        if rows.size:
            yield str(attribute.decode(np.array([code], np.uint16))[0]), task.take(rows)
