"""What is said of how records live depends on who keeps them."""

from __future__ import annotations

from tests.report.regulator.described import DESCRIBED

from sparsam.report.page._blocks import Items, Text, plain_words
from sparsam.report.regulator._measures import life_cycle, measures, retention
from sparsam.report.regulator._processing import Processing


def words(blocks: object) -> str:
    parts = []
    for block in blocks:  # type: ignore[attr-defined]
        if isinstance(block, Items):
            parts += [plain_words(item) for item in block.items]
        elif isinstance(block, Text):
            parts.append(plain_words(block.words))
    return "\n".join(parts)


def test_with_a_collector() -> None:
    known = Processing(DESCRIBED, keep_days=1)
    assert "deleted 1 day after the day on which they came" in words(retention(known))
    assert "becomes a count for the day" in words(life_cycle(known))
    assert len(list(measures(known))) == 4
    assert "a row with the day" in words(
        life_cycle(Processing(DESCRIBED, keep_days=1, mode="rows"))
    )


def test_elsewhere() -> None:
    known = Processing(DESCRIBED)
    for told in (words(retention(known)), words(life_cycle(known))):
        assert "To be filled in by a person" in told
        assert "receipt" not in told
    assert len(list(measures(known))) == 1
