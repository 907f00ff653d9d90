"""Train a model again on anonymised people, and measure what it costs and what it hides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError, ParameterError
from sparsam._small_counts import publish_share, suppress
from sparsam.anonymise._anonymiser import Anonymiser
from sparsam.anonymise._k_sweep import anonymiser_for
from sparsam.anonymise._private_models import PrivateClassifier
from sparsam.anonymise.methods._guided import Guided, Hybrid
from sparsam.anonymise.proof._certificate import Certificate
from sparsam.attack import (
    AttributeGame,
    MembershipGame,
    References,
    Risk,
    attribute_attack_model,
    fredrikson,
    membership_attack_model,
    reseeded,
    rmia,
)
from sparsam.data import column_names
from sparsam.data.source import take_rows


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
            published = self._told(facts)
            own, others = (_figure(published[name]) for name in ("train_accuracy", "test_accuracy"))
            lines.append(
                f"{facts.name}: accuracy {others} on {self.n_test:,} other people "
                f"({own} on its own){_spent(facts)}"
            )
            lines += [f"  {risk}" for risk in (*facts.membership, *facts.attribute)]
        return "\n".join(lines)

    def _told(self, facts: ModelFacts) -> dict[str, Any]:
        """The facts of one model, shares in steps of five people or more."""
        published = facts.to_dict()
        for name, people in (("train_accuracy", self.n_train), ("test_accuracy", self.n_test)):
            published[name] = publish_share(published[name], people)
        return published

    def _left_out(self) -> str:
        count = suppress(self.n_suppressed)
        return count if isinstance(count, str) else f"{count:,}"


def _figure(share: float | None) -> str:
    return "untold" if share is None else f"{share:.3f}"


def _spent(facts: ModelFacts) -> str:
    if facts.privacy is None:
        return ""
    return f", epsilon {facts.privacy['epsilon']:.3g}, delta {facts.privacy['delta']:.1g}"


Rows = NDArray[np.int64]


def anonymise_model(
    model: Any,
    X: Any,
    y: ArrayLike,
    quasi_identifiers: Sequence[str] | None = None,
    k: int = 10,
    *,
    anonymiser: Anonymiser | None = None,
    test: float | ArrayLike = 0.5,
    n_references: int = 8,
    attribute: str | None = None,
    private: Mapping[str, PrivateClassifier] | None = None,
    random_state: int = 0,
) -> AnonymisedModel:
    """Make a model that knows its training people only as members of groups.

    The model is trained on raw rows; these are anonymised so that what the model says of them is
    kept; and it is trained again on the anonymised rows (Goldsteen et al. 2021). Both are then
    attacked, by an adversary who asks them about raw records and knows how they were made: the
    reference models of RMIA are anonymised and trained again too.

    Parameters
    ----------
    model : estimator
        A classifier or pipeline of scikit-learn with `predict_proba`, fitted or not: it is cloned.
    X : frame or array
        One row for each person, as the model takes it.
    y : array
        The true labels.
    quasi_identifiers : sequence of str, optional
        Columns by which people could be recognised. All columns if not given. The others are kept
        as they are.
    k : int, default=10
    anonymiser : Anonymiser, optional
        How to anonymise, with all its settings but `quasi_identifiers`, `k` and `keep`, and but the
        model of its method. By `Hybrid` if not given.
    test : float or array of int, default=0.5
        The share or the rows of the people whom no model is trained on. Attacks on membership are
        the surest where they are as many as the others.
    n_references : int, default=8
        Reference models of RMIA, for the raw and for the anonymised model each. 0 leaves RMIA out.
    attribute : str, optional
        A column that an adversary would guess.
    private : mapping of str to PrivateClassifier, optional
        Models to train on the same raw rows under differential privacy, by name. Their reference
        models are those of the raw model.
    random_state : int, default=0

    Returns
    -------
    AnonymisedModel

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> people = rng.integers(0, 50, (200, 2))
    >>> labels = (people[:, 0] > 25) ^ (rng.random(200) < 0.1)
    >>> found = anonymise_model(DecisionTreeClassifier(), people, labels, k=5, n_references=0)
    >>> bool(found.after.risk("attack model").value < found.before.risk("attack model").value)
    True
    """
    _check_model(model)
    names = column_names(X)
    known = names if quasi_identifiers is None else tuple(quasi_identifiers)
    train, others = _divided(test, len(np.asarray(y)), random_state)
    settings = anonymiser_for(anonymiser, known)._with(
        k=k,
        keep=[name for name in names if name not in known],
        accept_unique=True,  # a model learns from the rows, and nobody gets them
    )
    plan = _Plan(model, X, np.asarray(y), settings, train, others, random_state)
    raw = plan.raw(plan.train, random_state)
    fitted, retrained = plan.anonymised(raw, plan.train, random_state)
    attacks = _Attacks.of(plan, attribute)
    references = plan.references(n_references)
    before = attacks.facts("raw", raw, references[0])
    after = attacks.facts("anonymised", retrained, references[1])
    beside = []
    for name, other in (private or {}).items():
        trained = reseeded(other, random_state).fit(plan.take(plan.train), plan.labels[plan.train])
        beside.append(attacks.facts(name, trained, references[0], trained.spent()))
    return AnonymisedModel(
        model=retrained,
        before=before,
        after=after,
        private=tuple(beside),
        certificate=fitted.certificate_,
        method=type(fitted.method_).__name__,
        k=k,
        quasi_identifiers=known,
        n_train=len(plan.train),
        n_test=len(plan.test),
        n_suppressed=fitted.n_suppressed_,
        information_loss=fitted.loss_.overall,
        random_state=random_state,
        details={"n_references": n_references, "publish": fitted.publish},
    )


@dataclass(frozen=True, eq=False, repr=False)
class _Plan:
    """Everything that training needs: the same for the model itself and for its references."""

    model: Any
    records: Any
    labels: NDArray[Any]
    anonymiser: Anonymiser
    train: Rows
    test: Rows
    random_state: int

    def take(self, rows: Rows) -> Any:
        return take_rows(self.records, rows)

    def raw(self, rows: Rows, seed: int) -> Any:
        """Train on raw rows."""
        return reseeded(self.model, seed).fit(self.take(rows), self.labels[rows])

    def anonymised(self, raw: Any, rows: Rows, seed: int) -> tuple[Anonymiser, Any]:
        """Train on anonymised rows, guided by a model trained on the raw ones."""
        method = self.anonymiser.method or Hybrid()
        if isinstance(method, Guided):
            method = type(method)(**{**method.get_params(deep=False), "model": raw})
        anonymiser = self.anonymiser._with(method=method)
        chosen = self.take(rows)
        if hasattr(chosen, "iloc"):  # its labels are the numbers of rows, and of no use here
            chosen = chosen.reset_index(drop=True)
        released = anonymiser.fit_transform(chosen, self.labels[rows])
        published = rows[anonymiser.classes_.of_row >= 0]
        return anonymiser, reseeded(self.model, seed).fit(released, self.labels[published])

    def game(self) -> MembershipGame:
        return MembershipGame(self.records, self.labels, self.train, self.test)

    def references(self, n_references: int) -> tuple[References | None, References | None]:
        """Train the references of the raw and of the anonymised model, on the same people."""
        if not n_references:
            return None, None
        game = self.game()
        seeds = np.random.default_rng(self.random_state + 1).integers(2**31, size=n_references)
        raw: list[Any] = []

        def train_raw(rows: Rows) -> Any:
            raw.append(self.raw(rows, int(seeds[len(raw)])))
            return raw[-1]

        before = game.references(train_raw, n_references, random_state=self.random_state)
        guides = iter(zip(raw, seeds, strict=True))

        def train_anonymised(rows: Rows) -> Any:
            guide, seed = next(guides)
            return self.anonymised(guide, rows, int(seed))[1]

        # The same seed draws the same people again, so that each guide meets its own rows.
        after = game.references(train_anonymised, n_references, random_state=self.random_state)
        return before, after


@dataclass(frozen=True, eq=False, repr=False)
class _Attacks:
    plan: _Plan
    membership: MembershipGame
    attribute: AttributeGame | None

    @classmethod
    def of(cls, plan: _Plan, attribute: str | None) -> _Attacks:
        game = None
        if attribute is not None:
            game = AttributeGame.open(
                plan.records,
                plan.labels,
                attribute,
                members=plan.train,
                others=plan.test,
                roles=plan.anonymiser.roles,
            )
        return cls(plan, plan.game(), game)

    def facts(
        self,
        name: str,
        model: Any,
        references: References | None,
        privacy: Mapping[str, Any] | None = None,
    ) -> ModelFacts:
        plan = self.plan
        accuracy = [
            float(np.mean(model.predict(plan.take(rows)) == plan.labels[rows]))
            for rows in (plan.train, plan.test)
        ]
        return ModelFacts(
            name=name,
            train_accuracy=accuracy[0],
            test_accuracy=accuracy[1],
            membership=self._membership(model, references),
            attribute=self._attribute(model),
            privacy=privacy,
        )

    def _membership(self, model: Any, references: References | None) -> tuple[Risk, ...]:
        game, seed = self.membership, self.plan.random_state
        answers = (game.answers(model, rows) for rows in (game.members, game.others))
        risks = [membership_attack_model(*answers, random_state=seed)]
        if references is not None:
            risks.append(rmia(game, model, references, random_state=seed))
        return tuple(risks)

    def _attribute(self, model: Any) -> tuple[Risk, ...]:
        if self.attribute is None:
            return ()
        learned = attribute_attack_model(self.attribute, model, random_state=self.plan.random_state)
        return fredrikson(self.attribute, model), learned


def _check_model(model: Any) -> None:
    able = all(callable(getattr(model, name, None)) for name in ("fit", "get_params"))
    if not able or not hasattr(model, "predict_proba"):
        raise ParameterError(
            "The 'model' parameter of anonymise_model must be a classifier of scikit-learn that "
            f"has predict_proba. Got a {type(model).__name__} instead.\n\nHint: to train another "
            "model yourself, anonymise its rows with Hybrid(model=...)."
        )


def _divided(test: float | ArrayLike, n_rows: int, random_state: int) -> tuple[Rows, Rows]:
    if np.ndim(test) == 0:
        share = float(np.asarray(test))
        n_test = round(share * n_rows)
        if not 0 < share < 1 or not 0 < n_test < n_rows:
            raise ParameterError(
                "The 'test' parameter of anonymise_model must be a share between 0 and 1 that "
                f"leaves rows in both parts, or rows. Got {share!r} of {n_rows:,} rows instead."
            )
        order = np.random.default_rng(random_state).permutation(n_rows)
        return np.sort(order[n_test:]), np.sort(order[:n_test])
    rows = np.unique(np.asarray(test))
    if rows.dtype.kind not in "iu" or len(rows) != np.size(test):
        raise DataError("The rows of 'test' must be whole numbers, each once. Got others.")
    if not len(rows) or rows[0] < 0 or rows[-1] >= n_rows or len(rows) == n_rows:
        raise DataError(f"The rows of 'test' must be some of the {n_rows:,} rows, not all of them.")
    return np.setdiff1d(np.arange(n_rows), rows), rows.astype(np.int64)
