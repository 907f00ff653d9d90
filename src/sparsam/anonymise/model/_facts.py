"""What became of a model that was trained again on anonymised people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsam._small_counts import publish_share, suppress
from sparsam.anonymise.proof._certificate import Certificate
from sparsam.attack import Risk


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """How right a model is, and how much it betrays of the people it was trained on.

    Attributes
    ----------
    name : str
    train_accuracy, test_accuracy : float
        Share of right answers on raw rows: of the people it was trained on, and of others.
    membership : tuple of Risk
        How well each attack tells the former from the latter.
    attribute : tuple of Risk
        How well each attack guesses an attribute; empty where none was named.
    privacy : mapping or None
        What a model trained under differential privacy has spent.
    """

    name: str
    train_accuracy: float
    test_accuracy: float
    membership: tuple[Risk, ...] = ()
    attribute: tuple[Risk, ...] = ()
    privacy: Mapping[str, Any] | None = None

    def risk(self, adversary: str) -> Risk:
        """Find the risk of membership by the name of its attack.

        Parameters
        ----------
        adversary : str
            "attack model", "RMIA" or "loss".
        """
        risks = {risk.id: risk for risk in self.membership}
        if adversary not in risks:
            known = ", ".join(map(str, risks))
            raise KeyError(f"There is no attack {adversary!r}. There are: {known or 'none'}.")
        return risks[adversary]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "train_accuracy": self.train_accuracy,
            "test_accuracy": self.test_accuracy,
            "membership": [risk.to_dict() for risk in self.membership],
            "attribute": [risk.to_dict() for risk in self.attribute],
            "privacy": None if self.privacy is None else dict(self.privacy),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class AnonymisedModel:
    """A model trained on anonymised people, beside the one trained on the people themselves.

    Attributes
    ----------
    model : estimator
        The model trained on the anonymised rows.
    before, after : ModelFacts
        Of the model trained on raw rows, and of the anonymised one.
    private : tuple of ModelFacts
        Of models trained on the same raw rows under differential privacy.
    certificate : Certificate
        What the anonymised training rows promise.
    method : str
    k : int
    quasi_identifiers : tuple of str
    n_train, n_test, n_suppressed : int
        People the models were trained on, others, and those of the former who were left out.
    information_loss : float
        Of the anonymised rows (tight, mean over the quasi-identifiers).
    random_state : int
    details : mapping
    """

    model: Any
    before: ModelFacts
    after: ModelFacts
    private: tuple[ModelFacts, ...]
    certificate: Certificate
    method: str
    k: int
    quasi_identifiers: tuple[str, ...]
    n_train: int
    n_test: int
    n_suppressed: int
    information_loss: float
    random_state: int
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """Test accuracy lost by anonymising."""
        return self.before.test_accuracy - self.after.test_accuracy

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published; the model itself is not part of it."""
        return {
            "before": self._told(self.before),
            "after": self._told(self.after),
            "private": [self._told(facts) for facts in self.private],
            "cost": publish_share(self.cost, self.n_test),
            "method": self.method,
            "k": self.k,
            "quasi_identifiers": list(self.quasi_identifiers),
            "n_train": self.n_train,
            "n_test": self.n_test,
            "n_suppressed": suppress(self.n_suppressed),
            "information_loss": self.information_loss,
            "random_state": self.random_state,
            "details": dict(self.details),
        }

    def __str__(self) -> str:
        every = (self.before, self.after, *self.private)
        lines = [
            f"{self.method}, k = {self.k}, {len(self.quasi_identifiers)} quasi-identifiers: "
            f"information loss {self.information_loss:.3f}, {self._left_out()} of "
            f"{self.n_train:,} rows suppressed",
        ]
        for facts in every:
            said = self._told(facts)
            own, others = (_figure(said[name]) for name in ("train_accuracy", "test_accuracy"))
            lines.append(
                f"{facts.name}: accuracy {others} on {self.n_test:,} other people "
                f"({own} on its own){_spent(facts)}"
            )
            lines += [f"  {risk}" for risk in (*facts.membership, *facts.attribute)]
        return "\n".join(lines)

    def _told(self, facts: ModelFacts) -> dict[str, Any]:
        """The facts of one model, shares in steps of five people or more."""
        said = facts.to_dict()
        for name, people in (("train_accuracy", self.n_train), ("test_accuracy", self.n_test)):
            said[name] = publish_share(said[name], people)
        return said

    def _left_out(self) -> str:
        count = suppress(self.n_suppressed)
        return count if isinstance(count, str) else f"{count:,}"


def _figure(share: float | None) -> str:
    return "untold" if share is None else f"{share:.3f}"


def _spent(facts: ModelFacts) -> str:
    if facts.privacy is None:
        return ""
    return f", epsilon {facts.privacy['epsilon']:.3g}, delta {facts.privacy['delta']:.1g}"
