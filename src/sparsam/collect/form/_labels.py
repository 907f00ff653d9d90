"""What users call their questions and answers, instead of the names in the generalization."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from sparsam._documents import convert_part, parse_toml, read_bytes
from sparsam._errors import DocumentError, ParameterError


class AttributeLabels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one attribute, its buckets and its categories are called.

    Parameters
    ----------
    question : str, default=""
        What is asked; empty for the name of the attribute.
    help : str, default=""
        A sentence below the question.
    buckets : dict of str to str or tuple of str, default={}
        By the label that the generalization gives a bucket; or one for each bucket, in order.
    members : dict of str to str, default={}
        By category.
    """

    question: str = ""
    help: str = ""
    buckets: dict[str, str] | tuple[str, ...] = {}
    members: dict[str, str] = {}

    def of_buckets(self, name: str, labels: Collection[str]) -> dict[int, str]:
        """Return what is said instead of the labels of a partition.

        Parameters
        ----------
        name : str
            The attribute, for errors.
        labels : collection of str
            As the generalization has them.
        """
        if isinstance(self.buckets, tuple):
            if len(self.buckets) != len(labels):
                msg = (
                    f"The labels of '{name}' must be {len(labels)}, one for each bucket. "
                    f"Got {len(self.buckets)} instead."
                )
                raise ParameterError(msg)
            said = dict(enumerate(self.buckets))
        else:
            places = {label: place for place, label in enumerate(labels)}
            for label in self.buckets:
                if label not in places:
                    listed = ", ".join(f"'{known}'" for known in labels)
                    msg = f"'{name}' has no bucket '{label}'. It has {listed}."
                    raise ParameterError(msg)
            said = {places[label]: text for label, text in self.buckets.items()}
        if len(set(said.values())) != len(said):
            raise ParameterError(f"The labels of '{name}' must differ from one another.")
        return said


class Labels:
    """A user's words for a page, its questions and its answers.

    Parameters
    ----------
    words : mapping of str to str
        For the page itself: `title`, `introduction`, `send` and all others of the language.
    attributes : mapping of str to AttributeLabels
        By attribute.

    Examples
    --------
    >>> labels = Labels.of({"title": "About you", "age": {"question": "How old are you?"}})
    >>> labels.attributes["age"].question
    'How old are you?'
    """

    def __init__(self, words: Mapping[str, str], attributes: Mapping[str, AttributeLabels]) -> None:
        self.words = dict(words)
        self.attributes = dict(attributes)

    @classmethod
    def of(cls, labels: Mapping[str, Any] | str | os.PathLike[str] | None) -> Labels:
        """Return labels from plain data, or from a TOML file.

        Parameters
        ----------
        labels : mapping, path or None
            Texts are words of the page, and tables are attributes.

        Raises
        ------
        DocumentError
            Something in it is no label.
        """
        if labels is None:
            return cls({}, {})
        if isinstance(labels, Mapping):
            return cls._read(labels)
        try:
            return cls._read(parse_toml(read_bytes(labels), "A file of labels (TOML)"))
        except DocumentError as error:
            error.add_note(f"The document is the file '{Path(labels).name}'.")
            raise

    @classmethod
    def _read(cls, labels: Mapping[str, Any]) -> Labels:
        tables = {name: table for name, table in labels.items() if isinstance(table, Mapping)}
        words = {name: text for name, text in labels.items() if name not in tables}
        attributes = {
            name: convert_part(dict(table), AttributeLabels, f"$.{name}")
            for name, table in tables.items()
        }
        return cls(words, attributes)

    def check_names(self, names: Collection[str]) -> None:
        """Raise for labels of something that is not there.

        Parameters
        ----------
        names : collection of str
            The attributes, and the target.
        """
        for name in self.attributes:
            if name not in names:
                raise ParameterError(f"The labels must name attributes. '{name}' is none.")
