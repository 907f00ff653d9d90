"""The statement of a ledger, for the data-protection officer."""

from __future__ import annotations

import re
from typing import Any, cast

from sparsam.explore import Statement, question_words, time_words
from sparsam.report._document import Document
from sparsam.report._explore_policy import noisy_versions
from sparsam.report._plain import plain
from sparsam.report._statement_data import StatementData
from sparsam.report._statement_html import statement_page, statement_summary
from sparsam.report._statement_markdown import statement_markdown
from sparsam.report._statement_words import statement_verdict

_FEW = 3


class StatementReport(Document[StatementData]):
    """Who asked what, when and why, what was spent and what is left: to read and to file.

    It holds questions and costs: no answer, and no value of a person.

    Parameters
    ----------
    data : StatementData
        What the ledger says, as plain values.
    """

    def __init__(self, data: StatementData) -> None:
        super().__init__(cast(StatementData, plain(data)))

    @property
    def verdict(self) -> str:
        """What is promised and what is left, in two sentences."""
        return str(statement_verdict(self._data))

    def to_markdown(self) -> str:
        """Return the statement as Markdown."""
        return statement_markdown(self._data)

    def to_html(self) -> str:
        """Return the statement as one self-contained page."""
        return statement_page(self._data)

    def __repr__(self) -> str:
        return f"<StatementReport {self._data['ledger']!r}: {statement_verdict(self._data).costs}>"

    def _repr_html_(self) -> str:
        return statement_summary(self._data)


def statement_report(found: Statement, *, title: str | None = None) -> StatementReport:
    """Write the statement of a ledger as a page.

    Parameters
    ----------
    found : Statement
        See `sparsam.explore.Ledger.statement`.
    title : str, optional

    Returns
    -------
    StatementReport

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.explore import Ledger, laplace_cost
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger.create(f"{folder}/people.ledger", epsilon=1) as ledger:
    ...         made = statement_report(ledger.statement())
    >>> made.to_dict()["remaining"]
    '1'
    """

    said = found.to_dict()
    data: dict[str, Any] = {
        **said,
        "title": title or f"Statement of the privacy budget in {found.ledger}",
        "charges": [
            {
                **{name: value for name, value in one.items() if name != "question"},
                "time": time_words(one["time"]),
                "what": question_words(one["question"]),
                "noise": _noise(one["noise"]),
            }
            for one in said["charges"]
        ],
        "created": time_words(found.created),
        "versions": noisy_versions(),
    }
    return StatementReport(cast(StatementData, data))


def _noise(text: str) -> str:
    """Name a few uses of noise, and of many only the kinds."""
    parts = re.split(r", (?=Laplace|Gaussian|choice|DP-SGD)", text)
    if len(parts) <= _FEW:
        return text
    kinds = dict.fromkeys(part.split(",")[0] for part in parts)
    return f"{', '.join(kinds)}, at {len(parts)} scales"
