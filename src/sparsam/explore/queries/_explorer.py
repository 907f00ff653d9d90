"""Ask one question at a time, and pay for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sparsam._errors import ParameterError
from sparsam.explore._answers import Answer
from sparsam.explore._declared import Declared, declared
from sparsam.explore._noise import require_opendp
from sparsam.explore._source import Source
from sparsam.explore.ledger._amounts import Amount
from sparsam.explore.ledger._ledger import Ledger
from sparsam.explore.queries._counts import (
    count_query,
    histogram_query,
    missing_query,
    value_counts_query,
)
from sparsam.explore.queries._mean import mean_query
from sparsam.explore.queries._pairs import cramers_v_query, spearman_query
from sparsam.explore.queries._queries import Payment, Query
from sparsam.explore.queries._ranks import outliers_query, quantiles_query
from sparsam.explore.queries._stored_answers import stored_answers


class Explorer:
    """Ask a table one question at a time; each answer is noisy, and the ledger pays for it.

    One row is one person, and the noise hides whether any one row is in the table. Every method
    takes what it may cost as either ``epsilon=`` (Laplace noise, and the exponential mechanism for
    choices) or ``rho=`` (Gaussian noise), and ``purpose=``, which the ledger's statement shows.
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
    explore : The whole basic analysis at once, which is far cheaper.

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.explore import Explorer, Ledger, declared
    >>> people = {"age": [30, 41, 52] * 100, "sex": ["f", "m", "m"] * 100}
    >>> domains = declared({"age": (0, 99, "integer"), "sex": ["f", "m"]})
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
    ...     with Ledger.create(f"{folder}/people.ledger", epsilon=2) as ledger:
    ...         explorer = Explorer(people, ledger, domains)
    ...         answer = explorer.value_counts("sex", epsilon=1)
    >>> sorted(answer.values), answer.cost.epsilon  # doctest: +SKIP
    (['(missing)', '(other)', 'f', 'm'], 1000000000)
    """

    def __init__(self, data: Any, ledger: Ledger, domains: Any = None) -> None:
        require_opendp()
        self.ledger = ledger
        if isinstance(data, Source):
            self.source = data
        else:
            self.source = Source(data, _domains(ledger, domains))
        self.declared = self.source.declared

    def count(
        self, *, epsilon: Amount | None = None, rho: Amount | None = None, purpose: str = ""
    ) -> Answer:
        """Count the rows."""
        return self._ask(count_query(Payment.of(epsilon, rho)), purpose)

    def missing(
        self,
        name: str,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
    ) -> Answer:
        """Count the missing values of an attribute."""
        query = missing_query(self.declared, name, Payment.of(epsilon, rho))
        return self._ask(query, purpose)

    def quantiles(
        self,
        name: str,
        levels: Sequence[float] = (0.25, 0.5, 0.75),
        *,
        interval: bool = True,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
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
        epsilon, rho : number
            What it may cost; one of them.
        purpose : str
        """
        query = quantiles_query(
            self.declared, name, levels, Payment.of(epsilon, rho), interval=interval
        )
        return self._ask(query, purpose)

    def range(
        self,
        name: str,
        *,
        interval: bool = True,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
    ) -> Answer:
        """Find P1 and P99 of a numeric attribute; the smallest and the largest cannot be had."""
        query = quantiles_query(
            self.declared,
            name,
            (0.01, 0.99),
            Payment.of(epsilon, rho),
            interval=interval,
            function="range",
        )
        return self._ask(query, purpose)

    def outliers(
        self,
        name: str,
        *,
        quartiles: tuple[float, float] | None = None,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
    ) -> Answer:
        """Count the numbers beyond 1.5 interquartile ranges from the quartiles.

        Parameters
        ----------
        name : str
        quartiles : (float, float), optional
            The first and the third, from an earlier answer; then all of the charge buys the count.
        epsilon, rho : number
            What it may cost; one of them.
        purpose : str
        """
        query = outliers_query(self.declared, name, Payment.of(epsilon, rho), quartiles)
        return self._ask(query, purpose)

    def value_counts(
        self,
        name: str,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
    ) -> Answer:
        """Count each category of an attribute, what is not declared, and missing values."""
        query = value_counts_query(self.declared, name, Payment.of(epsilon, rho))
        return self._ask(query, purpose)

    def histogram(
        self,
        name: str,
        bins: int | Sequence[float] = 10,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
    ) -> Answer:
        """Count the values of a numeric attribute in so many equal ranges, or between edges."""
        query = histogram_query(self.declared, name, Payment.of(epsilon, rho), bins)
        return self._ask(query, purpose)

    def mean(
        self,
        name: str,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
    ) -> Answer:
        """Find the mean of a numeric attribute, inside its declared range."""
        query = mean_query(self.declared, name, Payment.of(epsilon, rho))
        return self._ask(query, purpose)

    def spearman(
        self,
        first: str,
        second: str,
        *,
        edges: Mapping[str, Sequence[float]] | None = None,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
    ) -> Answer:
        """Find Spearman's rank correlation of two numeric attributes.

        Parameters
        ----------
        first, second : str
        edges : mapping of str to sequence of float, optional
            Inner edges of the cells, such as quartiles from an earlier answer. By default 8 cells
            of equal width each, zero apart among many whole numbers.
        epsilon, rho : number
            What it may cost; one of them.
        purpose : str
        """
        query = spearman_query(self.declared, (first, second), Payment.of(epsilon, rho), edges)
        return self._ask(query, purpose)

    def cramers_v(
        self,
        first: str,
        second: str,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        purpose: str = "",
    ) -> Answer:
        """Find Cramér's V of two categorical attributes."""
        query = cramers_v_query(self.declared, (first, second), Payment.of(epsilon, rho))
        return self._ask(query, purpose)

    def _ask(self, query: Query, purpose: str) -> Answer:
        entry = self.ledger.ask(
            query.question,
            query.cost,
            lambda: query.release(self.source),
            purpose=purpose,
            fingerprint=self.source,
        )
        with stored_answers(lambda: not entry.fresh):
            return query.answer(entry.answer, entry.fresh)

    def __repr__(self) -> str:
        return f"Explorer({', '.join(self.declared.names)})"


def _domains(ledger: Ledger, domains: Any) -> Declared:
    known = None if ledger.domains is None else Declared.from_dict(ledger.domains)
    if domains is not None:
        found = declared(domains)
        return found if known is None else found.within(known)
    if known is None:
        raise ParameterError(
            "Domains must be declared, here or when the ledger is created. Got none."
            "\n\nHint: Explorer(data, ledger, domains={'age': (0, 99, 'integer'), ...}). Nothing "
            "is read from the data."
        )
    return known
