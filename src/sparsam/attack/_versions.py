"""What two versions of a generalization give away: each alone, and both together (A6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._risk import Risk
from sparsam.attack._side_information import MultiBreach
from sparsam.data import Split
from sparsam.generalization import Changes


@dataclass(frozen=True)
class VersionRisks:
    """What can be recovered from records of an old and of a new version.

    Attributes
    ----------
    before, after : Risk
        Of each version alone (A1).
    together : Risk
        Of both, of people whose record is in both (A6).
    """

    before: Risk
    after: Risk
    together: Risk

    def facts(self) -> dict[str, Any]:
        """Plain data with exact numbers: not to be published."""
        risks = {"before": self.before, "after": self.after, "together": self.together}
        return {which: risk.facts() for which, risk in risks.items()}


def attack_versions(
    changes: Changes, data: Split, reconstruction: Reconstruction | None = None
) -> VersionRisks:
    """Attack two versions of a generalization on the same people, each alone and both together.

    Parameters
    ----------
    changes : Changes
        What `sparsam.generalization.changes` returned.
    data : Split
        The people, at full resolution, with every attribute of either version: read for
        `changes.together`.
    reconstruction : Reconstruction, optional
        How to guess.

    Returns
    -------
    VersionRisks

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> from sparsam.generalization import changes
    >>> coarse = sp.PrivacyTree(max_leaves=2).fit_task(data.train).generalization_
    >>> risks = attack_versions(changes(coarse, tree.generalization_), data)
    >>> risks.before.id, risks.after.id, risks.together.id
    ('A1', 'A1', 'A6')
    """
    guess = reconstruction or Reconstruction()
    old, new = changes.versions()
    return VersionRisks(
        before=guess.attack(old, data),
        after=guess.attack(new, data),
        together=MultiBreach([old], guess).attack(new, data),
    )
