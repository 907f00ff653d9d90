"""What all reports have in common: plain data that can be saved in three ways."""

from __future__ import annotations

import copy
import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Generic, TypeVar

from sparsam._errors import ParameterError
from sparsam._writing import write_text

Data = TypeVar("Data")


class Document(ABC, Generic[Data]):
    """Plain data, and its renderings.

    Parameters
    ----------
    data : mapping
        Fit to be published.
    """

    def __init__(self, data: Data) -> None:
        self._data = data

    def to_dict(self) -> Data:
        """Return everything the report says as plain values."""
        return copy.deepcopy(self._data)

    def to_json(self) -> str:
        """Return everything the report says as JSON."""
        return json.dumps(self._data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @abstractmethod
    def to_markdown(self) -> str:
        """Return the report as Markdown."""

    @abstractmethod
    def to_html(self) -> str:
        """Return the report as one self-contained page."""

    def save(self, path: str | Path) -> None:
        """Write the report; the ending of the name decides how.

        Parameters
        ----------
        path : str or Path
            A name that ends in ``.html``, ``.htm``, ``.md`` or ``.json``.
        """
        writers = {
            ".html": self.to_html,
            ".htm": self.to_html,
            ".md": self.to_markdown,
            ".json": self.to_json,
        }
        path = Path(path)
        if (writer := writers.get(path.suffix.lower())) is None:
            raise ParameterError(
                f"The name of a report must end in {', '.join(writers)}. Got {path.name!r} instead."
            )
        write_text(path, writer())
