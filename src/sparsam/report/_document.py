"""What all reports have in common: plain data that can be saved in three ways."""

from __future__ import annotations

import copy
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from sparsam._errors import ParameterError
from sparsam._writing import write_text
from sparsam.report._made import made_words
from sparsam.report.page._blocks import Page
from sparsam.report.page._html import html, summary
from sparsam.report.page._markdown import markdown
from sparsam.report.page._terminal import terminal

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
    def page(self) -> Page:
        """Return the report as a page, which is what all renderings are made from."""

    def head(self) -> Page:
        """Return the page, perhaps without its sections: enough for a notebook or a terminal."""
        return self.page()

    @property
    def verdict(self) -> str:
        """The report in two sentences."""
        return str(self.head().verdict)

    def _dated(self, page: Page) -> Page:
        """Return a page with when, by whom and what for it was made."""
        made = self._data.get("made") if isinstance(self._data, Mapping) else None
        return replace(page, made=made_words(made))

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return markdown(self._dated(self.page()))

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return html(self._dated(self.page()))

    def to_terminal(self, width: int = 80) -> str:
        """Return what the report says in brief as plain text.

        Parameters
        ----------
        width : int, default=80
            How wide a table may be.
        """
        return terminal(self._dated(self.head()), width)

    def _repr_html_(self) -> str:
        return summary(self._dated(self.head()))

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


def plain(value: Any) -> Any:
    """Rebuild a value from dict, list, str, int, float, bool and None."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)
