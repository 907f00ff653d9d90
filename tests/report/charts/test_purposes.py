"""Which purpose needs what, as a matrix."""

from __future__ import annotations

from sparsam.assess import PurposesChoice


def test_numbers_are_buckets(purposes: PurposesChoice) -> None:
    axes = purposes.plot()
    needs = purposes.needs()
    columns = [tick.get_text() for tick in axes.get_xticklabels()]
    assert columns == [*purposes.purposes, "all purposes"]
    shown = {(round(t.get_position()[0]), round(t.get_position()[1])): t.get_text()
             for t in axes.texts}  # fmt: skip
    assert len(shown) == len(needs) * len(columns)
    for row, need in enumerate(needs):
        cells = [*(need["alone"][name] for name in purposes.purposes), need["together"]]
        for column, labels in enumerate(cells):
            words = "?" if labels is None else str(len(labels)) if labels else "–"
            assert shown[column, row] == words


def test_the_finer_the_darker(purposes: PurposesChoice) -> None:
    shades = purposes.plot().images[0].get_array()
    assert shades is not None
    for need, row in zip(purposes.needs(), shades, strict=True):
        assert (row[-1] > 0) == (len(need["together"]) > 1)
        assert row.min() >= 0
        assert row.max() <= 1
