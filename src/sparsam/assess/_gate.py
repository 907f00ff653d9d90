"""Gates: may this generalization be used? For continuous integration and sign-off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sparsam._checks import wrong_parameter
from sparsam._errors import ParameterError
from sparsam._small_counts import Count, publish_loss, published_repr, suppress
from sparsam.assess._assessment import Assessment, Limits
from sparsam.assess._evidence import MET, NOT_MET, TOO_FEW
from sparsam.assess._groups import Groups


@dataclass(frozen=True, repr=False)
class GateResult:
    """One gate and whether it was passed.

    Attributes
    ----------
    gate : str
        What was demanded, in words.
    limit, value : float
        The demand and what was measured (test data; class sizes on training data).
    passed : bool or None
        None where too few people can tell.
    counts_people : bool
        Whether the value is a number of people.
    published : float, int or str
        What was measured as far as it may be told: shares in steps of five people or more, words
        for fewer than five people.
    who : str
        The group of people that it was measured on; empty for everyone.
    """

    gate: str
    limit: float
    value: float
    passed: bool | None
    counts_people: bool = False
    published: float | Count = None
    who: str = ""

    def __repr__(self) -> str:
        return published_repr(self)

    @property
    def verdict(self) -> str:
        """Whether it was passed: "passed", "failed" or "too few people to tell"."""
        if self.passed is None:
            return TOO_FEW
        return "passed" if self.passed else "failed"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return {
            "gate": self.gate,
            "limit": self.limit,
            "value": self.published,
            "passed": self.passed,
            "verdict": self.verdict,
            **({"who": self.who} if self.who else {}),
        }


def check_gates(
    assessment: Assessment,
    limits: Limits,
    *,
    max_risk: float | None = None,
    max_attribute_risk: float | None = None,
    max_utility_loss: float | None = None,
    min_class_size: int | None = None,
    max_utility_loss_per_group: float | None = None,
    groups: Groups | None = None,
) -> list[GateResult]:
    """Check an assessment against demands; a gate that is not given is not checked.

    Parameters
    ----------
    assessment : Assessment
    limits : Limits
    max_risk : float, optional
        The mean over attributes of the share that the adversary recovers.
    max_attribute_risk : float, optional
        The same for the attribute that is recovered most.
    max_utility_loss : float, optional
        What is lost against everything collected, in units of the score.
    min_class_size : int, optional
        The fewest people behind one generalized record.
    max_utility_loss_per_group : float, optional
        What any group may lose, in units of the score. It is passed where that is shown of every
        group, and failed where the contrary is shown of one.
    groups : Groups, optional
        What `assess_groups` measured; needed for the gate before.

    Returns
    -------
    list of GateResult
        A share that was measured on too few people passes no gate, and fails none.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> from sparsam.assess import measure_limits
    >>> assessment = sp.assess_generalization(tree.generalization_, data)
    >>> gates = check_gates(assessment, measure_limits(data), max_risk=0.9, min_class_size=2)
    >>> [(gate.gate, gate.verdict) for gate in gates]
    [('risk at most', 'passed'), ('people behind one record at least', 'passed')]
    """
    risk = assessment.risk
    worst = max((part.recovered for part in risk.parts), default=risk.recovered)
    loss = assessment.utility.error - limits.everything.error
    smallest = assessment.class_sizes.smallest
    facts = risk.to_dict()
    parts = [part["recovered"] for part in facts["parts"] if part["recovered"] is not None]
    worst_published = max(parts, default=facts["recovered"])
    everything, score = limits.everything.to_dict()["error"], limits.score.kind.words
    lost = publish_loss(assessment.utility.to_dict()["error"], everything)
    demands: list[tuple[str, str, float | None, float, bool, Any]] = [
        ("max_risk", "risk at most", max_risk, risk.recovered, True, facts["recovered"]),
        (
            "max_attribute_risk",
            "risk of any attribute at most",
            max_attribute_risk,
            worst,
            True,
            worst_published,
        ),
        ("max_utility_loss", f"{score} loss at most", max_utility_loss, loss, True, lost),
        (
            "min_class_size",
            "people behind one record at least",
            min_class_size,
            smallest,
            False,
            suppress(smallest),
        ),
    ]
    results = []
    for name, words, limit, value, is_ceiling, published in demands:
        if limit is None:
            continue
        if limit < 0:
            raise wrong_parameter("check_gates", name, "a float >= 0", limit)
        passed: bool | None = value <= limit if is_ceiling else value >= limit
        if is_ceiling and not limits.evidence.enough:
            passed = None  # class sizes are counted, all else is estimated on test people
        results.append(
            GateResult(words, float(limit), float(value), passed, not is_ceiling, published)
        )
    if max_utility_loss_per_group is not None:
        results.append(_group_gate(groups, score, max_utility_loss_per_group))
    return results


def _group_gate(groups: Groups | None, score: str, limit: float) -> GateResult:
    """Whether every group loses at most a limit; of the group that decides it."""
    name = "max_utility_loss_per_group"
    if limit < 0:
        raise wrong_parameter("check_gates", name, "a float >= 0", limit)
    if groups is None:
        raise ParameterError(
            f"The gate '{name}' needs to know the groups."
            "\n\nHint: check_gates(..., groups=assess_groups(assessment, limits, data))"
        )
    words, verdict = f"{score} loss of any group at most", groups.verdict(limit)
    if groups.worst is None:
        return GateResult(words, float(limit), math.nan, None)
    decisive = groups.worst if verdict == MET else groups.unshown(limit)[0]
    return GateResult(
        words,
        float(limit),
        decisive.loss,
        {MET: True, NOT_MET: False}.get(verdict),
        published=decisive.to_dict()["loss"],
        who=decisive.words,
    )
