"""Names and numbers that do not cover anything."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sparsam.report.plot._labels import SURE, Box, clearest, dot, text_width, with_room

LABELS = st.lists(st.tuples(st.floats(0, 300), st.text("0123456789", min_size=1, max_size=8)))


def test_a_name_stays_inside_and_off_the_dots():
    x, y = clearest("chosen", (190, 100), [dot(150, 92, 1)], Box(0, 0, 200, 200))
    assert x + 40 < 190
    assert not 80 < y < 108


@given(LABELS)
def test_labels_of_a_row_do_not_touch(labels):
    placed = with_room(labels, 300)
    ends = [(at - SURE * text_width(words) / 2, at + SURE * text_width(words) / 2)
            for _, at, words in placed]  # fmt: skip
    assert all(a[1] < b[0] or b[1] < a[0] for a, b in combinations(ends, 2))
    assert all(stop <= 300.01 for _, stop in ends)


def test_the_first_label_has_room():
    assert with_room([(50, "100"), (40, "90"), (0, "0")], 100) == [(50, 50, "100"), (0, 0, "0")]
