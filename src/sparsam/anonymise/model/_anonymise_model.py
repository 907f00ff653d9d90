"""Train a model again on anonymised people, and measure what it costs and what it hides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise._anonymiser import Anonymiser
from sparsam.anonymise.methods._hybrid import Hybrid
from sparsam.anonymise.model._facts import AnonymisedModel, ModelFacts
from sparsam.anonymise.model._private_training import PrivateClassifier
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

Rows = NDArray[np.int64]


def anonymise_model(
    model: Any,
    X: Any,
    y: ArrayLike,
    quasi_identifiers: Sequence[str] | None = None,
    k: int = 10,
    *,
    method: Anonymiser | None = None,
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
        One row a person, as the model takes it.
    y : array
        The true labels.
    quasi_identifiers : sequence of str, optional
        Columns by which people could be recognised. All columns if not given. The others are kept
        as they are.
    k : int, default=10
    method : Anonymiser, optional
        How to anonymise, with all its settings but `quasi_identifiers`, `k`, `keep` and `model`.
        `Hybrid()` if not given.
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
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> people = rng.integers(0, 50, (200, 2))
    >>> labels = (people[:, 0] > 25) ^ (rng.random(200) < 0.1)
    >>> found = anonymise_model(DecisionTreeClassifier(), people, labels, k=5, n_references=0)
    >>> bool(found.after.risk("attack model").value < found.before.risk("attack model").value)
    True
    """
    plan = _Plan.of(model, X, y, quasi_identifiers, k, method, test, random_state)
    raw = plan.raw(plan.train, random_state)
    anonymiser, retrained = plan.anonymised(raw, plan.train, random_state)
    attacks = _Attacks.of(plan, attribute)
    references = plan.references(n_references)
    before = attacks.facts("raw", raw, references[0])
    after = attacks.facts("anonymised", retrained, references[1])
    others = []
    for name, other in (private or {}).items():
        fitted = reseeded(other, random_state).fit(plan.take(plan.train), plan.labels[plan.train])
        others.append(attacks.facts(name, fitted, references[0], fitted.spent()))
    return AnonymisedModel(
        model=retrained,
        before=before,
        after=after,
        private=tuple(others),
        certificate=anonymiser.certificate_,
        method=type(anonymiser).__name__,
        k=k,
        quasi_identifiers=plan.quasi_identifiers,
        n_train=len(plan.train),
        n_test=len(plan.test),
        n_suppressed=anonymiser.n_suppressed_,
        information_loss=anonymiser.loss_.overall,
        random_state=random_state,
        details={"n_references": n_references, "publish": anonymiser.publish},
    )


@dataclass(frozen=True, eq=False, repr=False)
class _Plan:
    """Everything that training needs: the same for the model itself and for its references."""

    model: Any
    records: Any
    labels: NDArray[Any]
    quasi_identifiers: tuple[str, ...]
    keep: tuple[str, ...]
    k: int
    method: Anonymiser
    train: Rows
    test: Rows
    random_state: int

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        y: ArrayLike,
        quasi_identifiers: Sequence[str] | None,
        k: int,
        method: Anonymiser | None,
        test: float | ArrayLike,
        random_state: int,
    ) -> _Plan:
        _check_model(model)
        if method is not None and not isinstance(method, Anonymiser):
            raise ParameterError(
                "The 'method' parameter of anonymise_model must be an Anonymiser. "
                f"Got a {type(method).__name__} instead."
            )
        names, labels = column_names(X), np.asarray(y)
        chosen = names if quasi_identifiers is None else tuple(quasi_identifiers)
        train, others = _divided(test, len(labels), random_state)
        return cls(
            model=model,
            records=X,
            labels=labels,
            quasi_identifiers=chosen,
            keep=tuple(name for name in names if name not in chosen),
            k=k,
            method=Hybrid() if method is None else method,
            train=train,
            test=others,
            random_state=random_state,
        )

    def take(self, rows: Rows) -> Any:
        from sklearn.utils import _safe_indexing

        return _safe_indexing(self.records, rows)

    def raw(self, rows: Rows, seed: int) -> Any:
        """Train on raw rows."""
        return reseeded(self.model, seed).fit(self.take(rows), self.labels[rows])

    def anonymised(self, raw: Any, rows: Rows, seed: int) -> tuple[Anonymiser, Any]:
        """Train on anonymised rows, guided by a model trained on the raw ones."""
        from sklearn.base import clone

        settings = {
            "quasi_identifiers": list(self.quasi_identifiers),
            "k": self.k,
            "keep": list(self.keep),
            "accept_unique": True,  # a model learns from the rows, and nobody gets them
        }
        anonymiser = clone(self.method)
        if "model" in anonymiser.get_params(deep=False):
            settings["model"] = raw
        anonymiser.set_params(**settings)
        chosen = self.take(rows)
        if hasattr(chosen, "iloc"):  # its labels are the numbers of rows, and of no use here
            chosen = chosen.reset_index(drop=True)
        released = anonymiser.fit_transform(chosen, self.labels[rows])
        kept = rows[anonymiser.classes_.of_row >= 0]
        return anonymiser, reseeded(self.model, seed).fit(released, self.labels[kept])

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
                roles=plan.method.roles,
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
        said = (game.said(model, rows) for rows in (game.members, game.others))
        found = [membership_attack_model(*said, random_state=seed)]
        if references is not None:
            found.append(rmia(game, model, references, random_state=seed))
        return tuple(found)

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
