"""A model that answers generalized records, whatever way it takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError, hint
from sparsam.data import black_box
from sparsam.generalization import Generalization, Recoding

if TYPE_CHECKING:
    from sparsam.collect._step import GeneralizationStep

Takes = Literal["labels", "codes"] | Recoding


class ModelBehind:
    """A model behind a generalization: it is asked about numbers of buckets and nothing finer.

    Parameters
    ----------
    model : estimator, function, path or BlackBox
        As `sparsam.data.black_box` takes it.
    generalization : Generalization
    takes : {"labels", "codes"}, Recoding or None, default=None
        What the model is fed: the labels of the buckets, their numbers, or, for a model that was
        trained on records at full resolution, what a recoding of this generalization makes of
        them. None only where the model says so itself: by a `GeneralizationStep` inside it.
    """

    def __init__(
        self, model: Any, generalization: Generalization, takes: Takes | None = None
    ) -> None:
        if not generalization.collected:
            raise ParameterError(
                "A model can answer only where an attribute is collected. "
                "The generalization collects none."
            )
        self.generalization = generalization
        self._box = black_box(model)
        self._takes = _checked(self._box, generalization, takes)

    @property
    def columns(self) -> tuple[str, ...]:
        """The attributes that it is asked about, in the order of the codes."""
        return self.generalization.collected

    @property
    def shape(self) -> tuple[int, ...]:
        """How many codes each of them has."""
        return tuple(self.generalization[name].n_buckets for name in self.columns)

    def answers(self, codes: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Ask the model about generalized records.

        Parameters
        ----------
        codes : ndarray of int, shape (n, n_collected)
            Numbers of buckets, in the order of `columns`.

        Returns
        -------
        ndarray, shape (n,)
        """
        answers = self._box.predict(self._records(codes))
        if answers.ndim != 1:
            raise DataError(
                "A model behind a generalization must give one answer to each record. "
                f"Got {answers.shape[1]} instead."
            )
        return answers

    def _records(self, codes: NDArray[np.integer[Any]]) -> dict[str, NDArray[Any]]:
        if isinstance(self._takes, Recoding):
            g = self.generalization
            every = np.zeros((len(codes), len(g)), np.int64)
            every[:, [g.names.index(name) for name in g.collected]] = codes
            fed: dict[str, NDArray[Any]] = self._takes.represent(every, input="codes")
            return fed
        columns = dict(
            zip(self.generalization.collected, np.asarray(codes, np.int64).T, strict=True)
        )
        if self._takes == "codes":
            return columns
        return {
            name: np.array(self.generalization[name].labels, dtype=object)[column]
            for name, column in columns.items()
        }


def _checked(box: Any, generalization: Generalization, takes: Takes | None) -> Takes:
    if isinstance(takes, Recoding):
        if takes.generalization.partitions != generalization.partitions:
            raise ParameterError(
                "The recoding must be of this generalization. It is of another one."
                "\n\nHint: one run of minimise --model saves both, with -o and --recoding."
            )
        return takes
    if takes not in ("labels", "codes", None):
        raise ParameterError(
            "The 'takes' parameter must be 'labels', 'codes', a Recoding or None. "
            f"Got {takes!r} instead."
        )
    step = _step_in(getattr(box, "model", None))
    if step is not None:
        _check_step(step, generalization, takes)
        return "labels"
    if takes is None:
        raise ParameterError(
            "It must be said what the model takes: labels of buckets, numbers of buckets, or "
            "records at full resolution, through a recoding. A wrong guess would be a wrong answer."
            + hint(
                "give takes='labels', takes='codes' or takes=recoding",
                "give --model-takes labels, --model-takes codes or --recoding FILE",
            )
        )
    return takes


def _step_in(model: Any) -> GeneralizationStep | None:
    """Return the door inside a model, at any depth."""
    if model is None or not hasattr(model, "get_params"):
        return None
    from sparsam.collect._step import GeneralizationStep

    parts = (model, *model.get_params(deep=True).values())
    return next((part for part in parts if isinstance(part, GeneralizationStep)), None)


def _check_step(
    step: GeneralizationStep, generalization: Generalization, takes: Takes | None
) -> None:
    if step.accept == "raw" or takes == "codes":
        raise ParameterError(
            "The GeneralizationStep of the model must take labels. It was made or is said to take "
            "something else."
            + hint(
                "train it with accept='generalized' or accept='either'",
                "train the model on labels of buckets, and leave --model-takes codes out",
            )
        )
    own = step.generalization
    if not isinstance(own, Generalization):
        own = Generalization.load(own)
    if _labels(own) != _labels(generalization):
        raise ParameterError(
            "The model must be made for this generalization. Its GeneralizationStep has other "
            "attributes or buckets.\n\nHint: train it again on what this one collects."
        )


def _labels(generalization: Generalization) -> dict[str, tuple[str, ...]]:
    return {name: generalization[name].labels for name in generalization.collected}
