"""What all ways to anonymise a table have in common: an estimator that proves its releases."""

from __future__ import annotations

import inspect
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import TransformerTags
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsam._errors import DataError, ReleaseError, SparsamWarning
from sparsam.anonymise._anonymiser_sample import Layout, Sample, routing_codes
from sparsam.anonymise._anonymiser_settle import Settled, settle
from sparsam.anonymise._classes import SUPPRESSED, Classes, Demand
from sparsam.anonymise._tight_loss import TightLoss, TightVariant, tight_loss
from sparsam.anonymise.privacy._base import PrivacyModel, check_whole, wrong_parameter
from sparsam.anonymise.privacy._privacy_models import AllOf, KAnonymity
from sparsam.anonymise.proof._certificate import Certificate
from sparsam.anonymise.proof._verify import certify
from sparsam.anonymise.publish._labels import Levels
from sparsam.anonymise.publish._publish import Form, publish
from sparsam.anonymise.publish._representative import Missing
from sparsam.anonymise.publish._unique_rows import refuse_unique
from sparsam.data import Attribute, Roles, Table, column_names, is_frame
from sparsam.minimise import two_dimensional

_VARIANTS: tuple[TightVariant, ...] = ("range", "share", "values")


class Partition(Protocol):
    """Which rows are published as one, and which class a new row would fall into."""

    @property
    def classes(self) -> Classes:
        """The classes of the rows that were divided."""
        ...

    def route(self, codes: NDArray[Any]) -> NDArray[np.int64]:
        """Find the class of each row; -1 where there is none."""
        ...


class Common(TypedDict, total=False):
    """The parameters that all anonymisers share, see `Anonymiser`."""

    quasi_identifiers: Sequence[str] | None
    k: int
    privacy: PrivacyModel | Sequence[PrivacyModel] | None
    entity: str | None
    max_suppressed: float
    publish: Form
    keep: Sequence[str]
    missing: Missing
    hierarchies: Mapping[str, Any] | None
    roles: Roles | None
    accept_unique: bool
    random_state: int


class Anonymiser(BaseEstimator):  # type: ignore[misc]
    """Publishes a table in which nobody stands alone; the base of all methods.

    `fit` divides people into classes, `fit_transform` publishes one record for each class, and
    `transform` does the same for new people, whose classes are found by the same questions. Every
    release is checked from its published cells by independent code, and refused where it breaks its
    promise. A subclass says in `part` how people are divided.

    Parameters
    ----------
    quasi_identifiers : sequence of str or None, default=None
        Columns by which people could be recognised. None: those that the roles name, or else all
        columns that are not kept, sensitive, identifiers, the target or whose row it is.
    k : int, default=10
        At least so many people share every combination of quasi-identifiers; at least 2.
    privacy : PrivacyModel or sequence of PrivacyModel, optional
        What is demanded beside k, such as `DistinctDiversity(2, "illness")`.
    entity : str, optional
        The column that says whose row it is: several rows of one person count once.
    max_suppressed : float, default=0.0
        The largest share of rows that may be left out. Methods that divide people freely leave
        out nobody they were fitted on; new rows, and fixed hierarchies, may need it.
    publish : {"median", "mean", "mode", "nearest", "draw", "ranges", "hierarchy"}, default="median"
        What is published for a class, see `publish`. A model learns more from medians than from
        means, where numbers are mostly 0 and sometimes huge.
    keep : sequence of str, default=()
        Columns to publish as they are, such as a sensitive one. All other columns are left out.
    missing : {"own", "known"}, default="own"
        Whether missing is a value like any other, see `publish`.
    hierarchies : mapping of str to hierarchy, optional
        For "hierarchy": labels of the values of each quasi-identifier, from fine to coarse.
    roles : Roles, optional
        What the user declares: kinds, orders, domains, identifiers, texts that mean missing.
    accept_unique : bool, default=False
        Whether columns to keep may make rows unique. They are refused where more than 5 % of the
        rows have values of them that fewer than k rows have, or where they have more than 20
        different values and more than half of all whole rows are unique: such a column is a name
        for whoever knows it.
    random_state : int, default=0
        For "draw".

    Attributes
    ----------
    partition_ : Partition
        The classes of the fitted rows, and how new rows find theirs.
    attributes_ : tuple of Attribute
        The quasi-identifiers.
    classes_ : Classes
        Which rows are published as one, in the last release (or in `fit`).
    loss_ : TightLoss
        How much detail they lose.
    n_suppressed_, n_merged_ : int
        Rows that are left out, and rows that had to join another class than their own.
    certificate_ : Certificate
        What the last release promises. There is none before there is a release.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Not for bare arrays, whose columns are called x0, x1, ...

    Notes
    -----
    `transform` publishes records of the new rows themselves, not those of the fitted ones, so that
    ranges and means are true of them. Other people leave some classes too small: those rows are
    suppressed where the budget allows, else they join the classes nearest to them, and a warning
    says how many. Publishing rows twice, in two releases, is not covered by the promise of either.

    Rows stay in order, so that they go with `y`. Before they leave the house, `shuffled` takes the
    order away, which may tell who somebody is; row labels (an index) never come out.
    """

    partition_: Partition
    attributes_: tuple[Attribute, ...]
    classes_: Classes
    loss_: TightLoss
    n_suppressed_: int
    n_merged_: int
    certificate_: Certificate
    n_features_in_: int

    def __init__(
        self,
        *,
        quasi_identifiers: Sequence[str] | None = None,
        k: int = 10,
        privacy: PrivacyModel | Sequence[PrivacyModel] | None = None,
        entity: str | None = None,
        max_suppressed: float = 0.0,
        publish: Form = "median",
        keep: Sequence[str] = (),
        missing: Missing = "own",
        hierarchies: Mapping[str, Any] | None = None,
        roles: Roles | None = None,
        accept_unique: bool = False,
        random_state: int = 0,
    ) -> None:
        self.quasi_identifiers = quasi_identifiers
        self.k = k
        self.privacy = privacy
        self.entity = entity
        self.max_suppressed = max_suppressed
        self.publish = publish
        self.keep = keep
        self.missing = missing
        self.hierarchies = hierarchies
        self.roles = roles
        self.accept_unique = accept_unique
        self.random_state = random_state

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Show the common parameters where a subclass takes them as `**common`."""
        super().__init_subclass__(**kwargs)
        if "__init__" not in vars(cls):
            return
        own = inspect.signature(cls.__init__)
        named = [p for p in own.parameters.values() if p.kind != p.VAR_KEYWORD]
        names = {p.name for p in named}
        shared = inspect.signature(Anonymiser.__init__).parameters.values()
        more = [p for p in shared if p.name not in names]
        cls.__init__.__signature__ = own.replace(parameters=[*named, *more])  # type: ignore[attr-defined]

    @abstractmethod
    def part(
        self,
        codes: NDArray[np.uint16],
        attributes: Sequence[Attribute],
        demand: Demand,
        answers: NDArray[Any] | None = None,
    ) -> Partition:
        """Divide people into classes that satisfy a demand.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_rows, n_attributes)
        attributes : sequence of Attribute
            The quasi-identifiers.
        demand : Demand
        answers : ndarray of shape (n_rows,), optional
            What a model says of each row, or the true labels. Floats are numbers, all else labels.

        Returns
        -------
        Partition
            Its classes may suppress rows (-1), within the budget.
        """

    def fit(self, X: Any, y: ArrayLike | None = None, *, answers: ArrayLike | None = None) -> Self:
        """Divide people into classes.

        Parameters
        ----------
        X : pandas, polars or pyarrow frame, mapping of arrays, ndarray, Table or path
            One row a person, or several where `entity` says whose they are.
        y : array-like, optional
            The true labels, or numbers. Only methods that a model guides look at them.
        answers : array-like, optional
            What the model says of each row, where that is known already.

        Returns
        -------
        self
        """
        self._fit(self._sample(X, y, answers))
        return self

    def fit_transform(
        self, X: Any, y: ArrayLike | None = None, *, answers: ArrayLike | None = None
    ) -> Any:
        """Divide people into classes and publish one record for each class.

        Parameters
        ----------
        X, y, answers
            See `fit`.

        Returns
        -------
        frame
            Of the same type as X, in the same order of rows, without row labels; the
            quasi-identifiers and the columns to keep.

        Raises
        ------
        ReleaseError
            The published cells break the promise, or columns to keep make rows unique.
        """
        sample = self._sample(X, y, answers)
        return self._release(sample, self._fit(sample))

    def transform(self, X: Any) -> Any:
        """Publish new rows, in classes that the fitted ones lead to.

        Parameters
        ----------
        X : frame, mapping, ndarray, Table or path
            With the columns that were fitted.

        Returns
        -------
        frame

        Raises
        ------
        ReleaseError
            The new rows cannot be published so that the promise holds.
        """
        check_is_fitted(self)
        X = self._frame(X, first=False)
        sample = self._layout.sample(X, self._roles_again())
        try:
            sample.demand.attainable(sample.table.n_rows)
        except DataError as error:
            raise ReleaseError(f"{error}") from None
        codes, unseen = routing_codes(self.attributes_, self._common, sample)
        of_row = self.partition_.route(codes)
        classes = Classes(of_row, self.partition_.classes.n_classes)
        frame = self._release(sample, settle(classes, sample, self.max_suppressed))
        self._warn(sample.table.n_rows, unseen)
        return frame

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "partition_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    def _sample(self, X: Any, y: ArrayLike | None, answers: ArrayLike | None) -> Sample:
        """Read what is needed of the rows, and what is demanded of their classes."""
        self._check_parameters()
        X = self._frame(X, first=True)
        names = column_names(X)
        roles = self.roles if self.roles is not None else Roles()
        layout = Layout.of(names, roles, self.quasi_identifiers, self.keep, self._promise())
        sample = layout.sample(X, roles)
        known = self._answers(X, y) if answers is None else one_each(answers, sample, "answers")
        if known is not None:
            sample = sample.with_answers(one_each(known, sample, "y"))
        return sample

    def _frame(self, X: Any, *, first: bool) -> Any:
        """Check a bare array as scikit-learn does; frames speak for themselves."""
        if is_frame(X):
            return X
        allowed = {"dtype": None, "ensure_all_finite": "allow-nan"}
        fewest = 2 if first else 1
        array = two_dimensional(X)
        return validate_data(self, array, reset=first, ensure_min_samples=fewest, **allowed)

    def _fit(self, sample: Sample) -> Settled:
        """Divide rows that were read before, as a sweep does again and again."""
        sample.demand.attainable(sample.table.n_rows)
        self.__dict__.pop("certificate_", None)
        table = sample.table
        self.partition_ = self.part(table.codes, table.attributes, sample.demand, sample.answers)
        self.attributes_ = table.attributes
        self._layout = sample.layout
        self._common = sample.most_common()
        if is_frame(sample.source):
            self.feature_names_in_ = np.array(sample.layout.names, dtype=object)
        self.n_features_in_ = len(sample.layout.names)
        settled = settle(self.partition_.classes, sample, self.max_suppressed)
        self._remember(settled, tight_loss(settled.classes, table.codes, table.attributes))
        return settled

    def _release(self, sample: Sample, settled: Settled) -> Any:
        """Publish rows, and prove from what is published that the promise holds."""
        table, labels, classes = sample.table, sample.answers, settled.classes
        if labels is not None and labels.dtype.kind == "f":
            labels = None  # numbers have no majority
        frame = publish(
            sample.source,
            table,
            classes,
            self.publish,
            keep=sample.layout.keep,
            missing=self.missing,
            answers=labels,
            hierarchies=self._levels(table),
            random_state=self.random_state,
        )
        released = np.flatnonzero(classes.of_row != SUPPRESSED)
        losses = {v: tight_loss(classes, table.codes, table.attributes, v) for v in _VARIANTS}
        certificate = certify(
            frame,
            table.names,
            [part.terms for part in sample.demand.parts],
            suppressed=classes.n_suppressed,
            unpublished={name: values[released] for name, values in sample.others.items()},
            information_loss={f"tight ({v})": loss.overall for v, loss in losses.items()},
            parameters={**self._facts(), "joined": settled.n_merged},
        )
        if not self.accept_unique:
            refuse_unique(certificate)
        self._remember(settled, losses["range"])
        self.certificate_ = certificate
        return frame

    def _remember(self, settled: Settled, loss: TightLoss) -> None:
        self.classes_ = settled.classes
        self.n_merged_ = settled.n_merged
        self.n_suppressed_ = settled.classes.n_suppressed
        self.loss_ = loss

    def _answers(self, X: Any, y: ArrayLike | None) -> NDArray[Any] | None:
        """Say what guides the method: the true labels, where they are given."""
        return None if y is None else np.asarray(y)

    def _levels(self, table: Table) -> Mapping[str, Levels] | None:
        """Return the labels of every level for each code, from hierarchies that know values."""
        if self.hierarchies is None:
            return None
        known = {a.name: a for a in table.attributes}
        return {
            name: given.levels(known[name]) if hasattr(given, "levels") else given
            for name, given in self.hierarchies.items()
            if name in known
        }

    def _promise(self) -> AllOf:
        more = self.privacy
        listed = [] if more is None else [more] if isinstance(more, PrivacyModel) else list(more)
        return AllOf(KAnonymity(self.k, entity=self.entity), *listed)

    def _check_parameters(self) -> None:
        check_whole(self, "k", self.k)
        share = self.max_suppressed
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise wrong_parameter(self, "max_suppressed", "a number from 0 to 1", share)
        for name in ("quasi_identifiers", "keep"):
            if isinstance(getattr(self, name), str):
                raise wrong_parameter(self, name, "a list of names", getattr(self, name))
        more = self.privacy
        listed = more if isinstance(more, list | tuple) else [] if more is None else [more]
        if not all(isinstance(model, PrivacyModel) for model in listed):
            raise wrong_parameter(self, "privacy", "a PrivacyModel or several of them", more)

    def _roles_again(self) -> Roles:
        """Declare the kinds that the fitted columns turned out to have."""
        return self._layout.declared(self.roles or Roles(), self.attributes_)

    def _warn(self, n_rows: int, unseen: int) -> None:
        words = []
        if self.n_suppressed_:
            words.append(f"{self.n_suppressed_:,} of {n_rows:,} new rows are suppressed")
        if self.n_merged_:
            words.append(f"{self.n_merged_:,} of {n_rows:,} new rows joined another class")
        if words:
            words = ["; ".join(words) + ", because their own classes break the promise."]
        if unseen:
            words.append(
                f"{unseen:,} of {n_rows:,} new rows have values that were never seen; they were "
                "led on as the most common value."
            )
        if words:
            warnings.warn(" ".join(words), SparsamWarning, stacklevel=3)

    def _facts(self) -> dict[str, Any]:
        plain = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if isinstance(value, str | int | float | bool | np.generic)
        }
        return {"method": type(self).__name__, **plain}


def one_each(values: ArrayLike, sample: Sample, name: str) -> NDArray[Any]:
    """Return one value for each row, or say that there are more or fewer."""
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.shape != (sample.table.n_rows,):
        raise DataError(
            f"'{name}' must have one value for each of the {sample.table.n_rows:,} rows. "
            f"Got the shape {found.shape} instead."
        )
    return found
