"""Anonymise a table: divide people, publish one record for each class, and prove the release."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import TransformerTags
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsam._checks import check_share, check_whole, wrong_parameter
from sparsam._errors import DataError, ReleaseError, SparsamWarning
from sparsam._memory import memory_budget
from sparsam.anonymise._classes import SUPPRESSED, Classes, Division, Method, Partition
from sparsam.anonymise._privacy_models import AllOf, KAnonymity, PrivacyModel
from sparsam.anonymise._publish import Form, publish, refuse_unique
from sparsam.anonymise._published_values import Missing
from sparsam.anonymise._release import Release, check_place, put_release
from sparsam.anonymise._sample import Layout, Sample, routing_codes
from sparsam.anonymise._settle import Settled, settle
from sparsam.anonymise._tight_loss import TightLoss, TightVariant, tight_loss, tight_losses
from sparsam.anonymise.large._divide import LargeTable, divide
from sparsam.anonymise.large._large_table import large_table
from sparsam.anonymise.large._put_large import put_large
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Hybrid
from sparsam.anonymise.proof._certificate import Certificate
from sparsam.anonymise.proof._verify import certify
from sparsam.data import Attribute, Roles, Table, column_names, is_frame
from sparsam.data.large import cells_fit
from sparsam.generalization import Levels
from sparsam.minimise import two_dimensional

_VARIANTS: tuple[TightVariant, ...] = ("range", "share", "values")


class Anonymiser(BaseEstimator):  # type: ignore[misc]
    """Publishes a table in which nobody stands alone.

    `fit` divides people into classes, `fit_transform` publishes one record for each class, and
    `transform` does the same for new people, whose classes are found by the same questions. Every
    release is checked from its published cells by independent code, and refused where it breaks its
    promise. `fit_release` and `release` write a release to a file, with its certificate.

    Parameters
    ----------
    method : Method, optional
        How people are divided: `Hybrid`, `Guided`, `Greedy`, `Mondrian`, `Hilbert`, `BulkLoad` or
        `FullDomain`. None: `Hybrid` where there are labels or answers, `Greedy` elsewhere.
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
    method_ : Method
        The method that was used.
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

    Rows of a frame stay in order, so that they go with `y`. The order may tell who somebody is:
    `fit_release` and `release` write a file in a random one. Row labels (an index) never come out.

    Examples
    --------
    >>> anonymiser = Anonymiser(k=2, publish="ranges")
    >>> anonymiser.fit_transform({"age": [20, 21, 40, 41, 42]})["age"].tolist()
    ['20–21', '20–21', '40–42', '40–42', '40–42']
    >>> anonymiser.certificate_.smallest
    2
    """

    method_: Method
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
        method: Method | None = None,
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
        self.method = method
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

    def fit(self, X: Any, y: ArrayLike | None = None, *, answers: ArrayLike | None = None) -> Self:
        """Divide people into classes.

        Parameters
        ----------
        X : pandas, polars or pyarrow frame, mapping of arrays, ndarray, Table or path
            One row for each person, or several where `entity` says whose they are.
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
        return self._published(sample, self._fit(sample))

    def fit_release(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        path: str | os.PathLike[str],
        certificate_path: str | os.PathLike[str] | None = None,
        answers: ArrayLike | None = None,
        spreadsheet_safe: bool = False,
        max_memory: int | str | None = None,
    ) -> Release:
        """Divide people into classes, and put the release and its certificate in their places.

        The rows are shuffled and written to a draft; the draft is read again, and what was read is
        certified; only then does it take its place. Whatever fails, no file is left that was not
        checked.

        A file, a DuckDB relation or a lazy frame that does not fit into memory is released all the
        same: codes come home, in parts that fit, and the file is written and counted by an engine.
        `transform` needs an estimator that was fitted on a table in memory.

        Parameters
        ----------
        X, y, answers
            See `fit`. Of a table that does not fit, y is the name of a column.
        path : str or path
            A .parquet, .csv or .tsv file (text also as .gz).
        certificate_path : str or path, optional
            By default beside the release: `people.csv` has `people.certificate.json`.
        spreadsheet_safe : bool, default=False
            Put an apostrophe before texts that a spreadsheet would run. Not for .parquet.
        max_memory : int or str, optional
            What the table may take: bytes, or a text such as "4GB". None: half of what is free.

        Returns
        -------
        Release

        Raises
        ------
        ReleaseError
            The published cells break the promise, or columns to keep make rows unique, or the file
            has other cells than those that were checked. Nothing was released.
        """
        check_place(path, certificate_path, spreadsheet_safe=spreadsheet_safe)
        budget = memory_budget("fit_release", max_memory)
        if not cells_fit(X, budget):
            self._check_parameters()
            guide = y if answers is None else answers
            large = large_table(self, X, guide, budget, spreadsheet_safe=spreadsheet_safe)
            return self._release_large(large, path, certificate_path)
        sample = self._sample(X, y, answers)
        frame = self._published(sample, self._fit(sample))
        return self._put(sample, frame, path, certificate_path, spreadsheet_safe)

    def _release_large(
        self,
        table: LargeTable,
        path: str | os.PathLike[str],
        certificate_path: str | os.PathLike[str] | None,
    ) -> Release:
        for name in ("certificate_", "partition_", "classes_"):
            self.__dict__.pop(name, None)
        self.method_ = table.method
        divided = divide(table)
        layout = table.layout
        release = put_large(
            divided,
            [n for n in layout.names if n in {*layout.quasi_identifiers, *layout.keep}],
            layout.quasi_identifiers,
            divided.terms,
            path,
            certificate_path,
            parameters={**self._plain_facts(), **divided.facts, "joined": divided.n_merged},
            accept_unique=self.accept_unique,
            random_state=self.random_state,
            budget=table.budget,
        )
        self.attributes_ = table.quasi_identifiers
        self.n_merged_, self.n_suppressed_ = divided.n_merged, divided.n_suppressed
        self.loss_, self.certificate_ = divided.losses["range"], release.certificate
        return release

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
        return self._published_anew(X)[1]

    def release(
        self,
        X: Any,
        *,
        path: str | os.PathLike[str],
        certificate_path: str | os.PathLike[str] | None = None,
        spreadsheet_safe: bool = False,
    ) -> Release:
        """Publish new rows, and put the release and its certificate in their places.

        Parameters
        ----------
        X
            See `transform`.
        path, certificate_path, spreadsheet_safe
            See `fit_release`.

        Returns
        -------
        Release
        """
        check_is_fitted(self)
        check_place(path, certificate_path, spreadsheet_safe=spreadsheet_safe)
        sample, frame = self._published_anew(X)
        return self._put(sample, frame, path, certificate_path, spreadsheet_safe)

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
        sample = self._layout_of(X).sample(X, self.roles or Roles())
        method = self._method(y if answers is None else answers)
        known = method.answers(X, y) if answers is None else answers
        if known is not None:
            sample = sample.with_answers(
                one_each(known, sample, "y" if answers is None else "answers")
            )
        return sample

    def _layout_of(self, X: Any) -> Layout:
        return Layout.of(
            column_names(X),
            self.roles or Roles(),
            self.quasi_identifiers,
            self.keep,
            self._promise(),
        )

    def _method(self, labels: ArrayLike | None) -> Method:
        if self.method is not None:
            return self.method
        return Greedy() if labels is None else Hybrid()

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
        division = Division(
            table.codes,
            table.attributes,
            sample.demand,
            sample.answers,
            self.hierarchies,
            self.max_suppressed,
        )
        self.method_ = self._method(sample.answers)
        self.partition_ = self.method_.part(division)
        self.attributes_ = table.attributes
        self._layout = sample.layout
        self._common = sample.most_common()
        if is_frame(sample.source):
            self.feature_names_in_ = np.array(sample.layout.names, dtype=object)
        self.n_features_in_ = len(sample.layout.names)
        settled = settle(self.partition_.classes, sample, self.max_suppressed)
        self._remember(settled, tight_loss(settled.classes, table.codes, table.attributes))
        return settled

    def _published_anew(self, X: Any) -> tuple[Sample, Any]:
        """Publish new rows; return them as they were read, and the frame."""
        X = self._frame(X, first=False)
        roles = self._layout.declared(self.roles or Roles(), self.attributes_)
        sample = self._layout.sample(X, roles)
        try:
            sample.demand.attainable(sample.table.n_rows)
        except DataError as error:
            raise ReleaseError(f"{error}") from None
        codes, unseen = routing_codes(self.attributes_, self._common, sample)
        of_row = self.partition_.route(codes)
        classes = Classes(of_row, self.partition_.classes.n_classes)
        frame = self._published(sample, settle(classes, sample, self.max_suppressed))
        self._warn(sample.table.n_rows, unseen)
        return sample, frame

    def _published(self, sample: Sample, settled: Settled) -> Any:
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
        losses = tight_losses(classes, table.codes, table.attributes, _VARIANTS)
        certificate = certify(
            frame,
            table.names,
            [part.terms for part in sample.demand.parts],
            suppressed=classes.n_suppressed,
            unpublished=self._promised_columns(sample, classes),
            information_loss={loss.name: loss.overall for loss in losses.values()},
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

    def _promised_columns(self, sample: Sample, classes: Classes) -> dict[str, NDArray[Any]]:
        """The columns that promises speak about, for the rows that are published."""
        rows = np.flatnonzero(classes.of_row != SUPPRESSED)
        return {name: values[rows] for name, values in sample.others.items()}

    def _put(
        self,
        sample: Sample,
        frame: Any,
        path: str | os.PathLike[str],
        certificate_path: str | os.PathLike[str] | None,
        spreadsheet_safe: bool,
    ) -> Release:
        release = put_release(
            frame,
            self.certificate_,
            path,
            certificate_path,
            promised=self._promised_columns(sample, self.classes_),
            random_state=self.random_state,
            spreadsheet_safe=spreadsheet_safe,
        )
        self.certificate_ = release.certificate
        return release

    def _levels(self, table: Table) -> Mapping[str, Levels] | None:
        """Return the labels of every level for each code, from hierarchies that know values."""
        if self.publish != "hierarchy":
            return None
        own = self.method_.labels(self.partition_, table)
        if own is not None or self.hierarchies is None:
            return own
        known = {a.name: a for a in table.attributes}
        return {
            name: given.levels(known[name]) if hasattr(given, "levels") else given
            for name, given in self.hierarchies.items()
            if name in known
        }

    def _with(self, **settings: Any) -> Anonymiser:
        """Return one with other settings; unlike a clone, it keeps a model that was fitted."""
        return type(self)(**{**self.get_params(deep=False), **settings})

    def _promise(self) -> AllOf:
        return AllOf(KAnonymity(self.k, entity=self.entity), *self._more_privacy())

    def _more_privacy(self) -> list[PrivacyModel]:
        more: Any = self.privacy
        models = more if isinstance(more, list | tuple) else [] if more is None else [more]
        if not all(isinstance(model, PrivacyModel) for model in models):
            expected = "a PrivacyModel or several of them"
            raise wrong_parameter("Anonymiser", "privacy", expected, more)
        return list(models)

    def _check_parameters(self) -> None:
        method: Any = self.method
        if not isinstance(method, Method | None):
            expected = "None or a method, such as Hybrid()"
            raise wrong_parameter("Anonymiser", "method", expected, method)
        check_whole("Anonymiser", "k", self.k, 2)
        check_share("Anonymiser", "max_suppressed", self.max_suppressed)
        for name in ("quasi_identifiers", "keep"):
            if isinstance(getattr(self, name), str):
                raise wrong_parameter("Anonymiser", name, "a list of names", getattr(self, name))
        self._more_privacy()

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
        return self._plain_facts() | self.method_.facts(self.partition_)

    def _plain_facts(self) -> dict[str, Any]:
        settings = self.get_params(deep=False) | self.method_.get_params(deep=False)
        plain = {
            name: value
            for name, value in sorted(settings.items())
            if isinstance(value, str | int | float | bool | np.generic)
        }
        return {"method": type(self.method_).__name__, **plain}


def one_each(values: ArrayLike, sample: Sample, name: str) -> NDArray[Any]:
    """Return one value for each row, or say that there are more or fewer."""
    column = np.asarray(values)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.shape != (sample.table.n_rows,):
        raise DataError(
            f"'{name}' must have one value for each of the {sample.table.n_rows:,} rows. "
            f"Got the shape {column.shape} instead."
        )
    return column
