"""Ask one question at a time, and pay for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from sparsam.explore._answer import Answer
from sparsam.explore.ledger._ledger import Ledger, private_table, stored_answers
from sparsam.explore.queries._counts import (
    count_query,
    histogram_query,
    mean_query,
    missing_query,
    value_counts_query,
)
from sparsam.explore.queries._pairs import cramers_v_query, spearman_query
from sparsam.explore.queries._query import Payment, Price, Query
from sparsam.explore.queries._ranks import outliers_query, quantiles_query


class Explorer:
    """Ask a table one question at a time; each answer is noisy, and the ledger pays for it.

    One row is one person, and the noise hides whether any one row is in the table. Every method
    takes its price: what it may cost as either ``epsilon=`` (Laplace noise, and the exponential
    mechanism for choices) or ``rho=`` (Gaussian noise), and ``purpose=``, which the ledger's
    statement shows.
    The same question at the same price gives the same answer again, for nothing.

    Parameters
    ----------
    data : path, frame, mapping, list of records, Table or DuckDB relation
    ledger : Ledger
    domains : Declared, or what `declared` takes, optional
        What the attributes may hold; by default what the ledger was created with. Nothing is read
        from the data.

    See Also
    --------
    explore_table : The whole basic analysis at once, which is far cheaper.

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.explore import Explorer, Ledger, declared
    >>> people = {"age": [30, 41, 52] * 100, "sex": ["f", "m", "m"] * 100}
    >>> domains = declared({"age": (0, 99, "integer"), "sex": ["f", "m"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger.create(f"{folder}/people.ledger", epsilon=2) as ledger:
    ...         explorer = Explorer(people, ledger, domains)
    ...         answer = explorer.value_counts("sex", epsilon=1)
    >>> sorted(answer.values), answer.cost.epsilon
    (['(missing)', '(other)', 'f', 'm'], 1000000000)
    """

    def __init__(self, data: Any, ledger: Ledger, domains: Any = None) -> None:
        self.ledger = ledger
        self.source = private_table(data, ledger, domains)
        self.declared = self.source.declared

    def count(self, **price: Unpack[Price]) -> Answer:
        """Count the rows."""
        return self._ask(count_query(Payment.of(price)), price)

    def missing(self, name: str, **price: Unpack[Price]) -> Answer:
        """Count the missing values of an attribute."""
        return self._ask(missing_query(self.declared, name, Payment.of(price)), price)

    def quantiles(
        self,
        name: str,
        levels: Sequence[float] = (0.25, 0.5, 0.75),
        *,
        interval: bool = True,
        **price: Unpack[Price],
    ) -> Answer:
        """Find quantiles of a numeric attribute.

        Parameters
        ----------
        name : str
        levels : sequence of float
            Between 0 and 1; they share the charge.
        interval : bool, default=True
            Half of the charge buys intervals, which hold whatever the numbers are. False spends
            all of it on the estimates.
        **price
            See `Explorer`.
        """
        payment = Payment.of(price)
        query = quantiles_query(self.declared, name, levels, payment, interval=interval)
        return self._ask(query, price)

    def range(self, name: str, *, interval: bool = True, **price: Unpack[Price]) -> Answer:
        """Find P1 and P99 of a numeric attribute; the smallest and the largest cannot be had."""
        payment = Payment.of(price)
        ends = (0.01, 0.99)
        query = quantiles_query(
            self.declared, name, ends, payment, interval=interval, function="range"
        )
        return self._ask(query, price)

    def outliers(
        self, name: str, *, quartiles: tuple[float, float] | None = None, **price: Unpack[Price]
    ) -> Answer:
        """Count the numbers beyond 1.5 interquartile ranges from the quartiles.

        Parameters
        ----------
        name : str
        quartiles : (float, float), optional
            The first and the third, from an earlier answer; then all of the charge buys the count.
        **price
            See `Explorer`.
        """
        return self._ask(outliers_query(self.declared, name, Payment.of(price), quartiles), price)

    def value_counts(self, name: str, **price: Unpack[Price]) -> Answer:
        """Count each category of an attribute, what is not declared, and missing values."""
        return self._ask(value_counts_query(self.declared, name, Payment.of(price)), price)

    def histogram(
        self, name: str, bins: int | Sequence[float] = 10, **price: Unpack[Price]
    ) -> Answer:
        """Count the values of a numeric attribute in so many equal ranges, or between edges."""
        return self._ask(histogram_query(self.declared, name, Payment.of(price), bins), price)

    def mean(self, name: str, **price: Unpack[Price]) -> Answer:
        """Find the mean of a numeric attribute, inside its declared range."""
        return self._ask(mean_query(self.declared, name, Payment.of(price)), price)

    def spearman(
        self,
        first: str,
        second: str,
        *,
        edges: Mapping[str, Sequence[float]] | None = None,
        **price: Unpack[Price],
    ) -> Answer:
        """Find Spearman's rank correlation of two numeric attributes.

        Parameters
        ----------
        first, second : str
        edges : mapping of str to sequence of float, optional
            Inner edges of the cells, such as quartiles from an earlier answer. By default 8 cells
            of equal width each, zero apart among many whole numbers.
        **price
            See `Explorer`.
        """
        pair = (first, second)
        return self._ask(spearman_query(self.declared, pair, Payment.of(price), edges), price)

    def cramers_v(self, first: str, second: str, **price: Unpack[Price]) -> Answer:
        """Find Cramér's V of two categorical attributes."""
        pair = (first, second)
        return self._ask(cramers_v_query(self.declared, pair, Payment.of(price)), price)

    def _ask(self, query: Query, price: Price) -> Answer:
        entry = self.ledger.ask(
            query.question,
            query.cost,
            lambda: query.release(self.source),
            purpose=price.get("purpose", ""),
            fingerprint=self.source,
        )
        with stored_answers(lambda: not entry.fresh):
            return query.answer(entry.answer, entry.fresh)

    def __repr__(self) -> str:
        return f"Explorer({', '.join(self.declared.names)})"
