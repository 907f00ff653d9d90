"""Which rows of a large table are drawn: settled by a seed and the row alone.

The rule is arithmetic that every engine does alike, on the place of a row: the same rows are drawn
in memory, by DuckDB and by polars. In Spark, where rows have no place, a hash of the row takes
its part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A prime whose square fits into 63 bits.
PRIME = 2**31 - 1


@dataclass(frozen=True)
class Draw:
    """A share of the rows, drawn at random.

    Parameters
    ----------
    share : float
        How likely a row is drawn.
    seed : int

    Notes
    -----
    A row is drawn where a polynomial of the third degree of its place, modulo a prime, with
    coefficients from the seed, is small. The values at any four places are independent and
    uniform (Carter and Wegman 1979), so that the sample is as good as a random one for means
    and their variances, whatever the order of the rows.
    """

    share: float
    seed: int

    @cached_property
    def _coefficients(self) -> list[int]:
        drawn = np.random.SeedSequence([self.seed, 0x5A]).generate_state(4, np.uint64)
        return [int(number) % PRIME for number in drawn]

    @property
    def threshold(self) -> int:
        """The values below it are drawn."""
        return round(self.share * PRIME)

    def value(self, place: Any) -> Any:
        """The value at some places: an array, or an expression of an engine that can reckon."""
        third, second, first, constant = self._coefficients
        x = place % PRIME
        value = (x * third + second) % PRIME
        value = (value * x + first) % PRIME
        return (value * x + constant) % PRIME

    def sql(self, place: str) -> str:
        """The same as SQL, of an expression that is a BIGINT."""
        third, second, first, constant = self._coefficients
        x = f"({place} % {PRIME})"
        value = f"(({x} * {third} + {second}) % {PRIME})"
        value = f"(({value} * {x} + {first}) % {PRIME})"
        return f"(({value} * {x} + {constant}) % {PRIME})"

    def mask(self, n_rows: int, start: int = 0) -> NDArray[np.bool_]:
        """Whether each row of a table in memory is drawn, from a place on.

        Examples
        --------
        >>> Draw(0.5, seed=1).mask(8).tolist()
        [True, False, False, False, True, False, True, True]
        """
        places = np.arange(start, start + n_rows, dtype=np.int64)
        return np.asarray(self.value(places) < self.threshold)
