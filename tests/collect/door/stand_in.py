"""A store in memory, for tests of the door alone."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

from sparsam._errors import ReceiptError
from sparsam.collect import Questionnaire, Target
from sparsam.collect.store._collected import Collected
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

AGES = NumericDomain(0, 99, integer=True)
G = Generalization(
    [
        numeric_partition("age", AGES, [17, 30, 62]),
        categorical_partition("sex", CategoricalDomain(("f", "m")), [["f"], ["m"]]),
        categorical_partition("race", CategoricalDomain(("x", "y")), [["x", "y"]]),
        categorical_partition(
            "post code", CategoricalDomain(("a", "b", "é")), [["a"], ["b", "é"]], missing=2
        ),
    ]
)
SIZES = {"age": 4, "sex": 2, "post code": 3}
WORKS = Target("works", ("no", "yes"))


class MemoryStore:
    """Records in a list; `before` is called first in every `add`."""

    def __init__(
        self, source: Generalization | Questionnaire = G, target: Target | None = None
    ) -> None:
        self.collected = Collected.of(source, target)
        self.records: dict[str, tuple[int, ...]] = {}
        self.batches: list[int] = []
        self.threads: set[str] = set()
        self.expired = 0
        self.before: Callable[[], Any] = lambda: None

    def add(self, records: Sequence[Sequence[int]]) -> list[str]:
        self.threads.add(threading.current_thread().name)
        self.before()
        receipts = [secrets.token_urlsafe(32) for _ in records]
        self.records |= dict(zip(receipts, map(tuple, records), strict=True))
        self.batches.append(len(records))
        return receipts

    def forget(self, receipt: str) -> None:
        if self.records.pop(receipt, None) is None:
            raise ReceiptError("No such receipt.")

    def expire(self, today: int | None = None) -> int:
        self.expired += 1
        return 0

    def count(self) -> int:
        return len(self.records)
