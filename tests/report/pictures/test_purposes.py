"""The picture of who needs what."""

from __future__ import annotations

import pytest

from sparsam.report.pictures._purposes import needs_figure

NEEDS = [
    {"attribute": "age", "values": 60, "together": ["a", "b"], "alone": {"x": ["a", "b"], "y": []}},
    {"attribute": "sex", "values": 2, "together": [], "alone": {"x": None, "y": []}},
]


def test_a_field_for_each_attribute_and_purpose() -> None:
    drawn = needs_figure(["x", "y"], NEEDS).__html__()
    assert drawn.count("<rect") == 6
    assert "age, x: 2 of 60 values" in drawn
    assert "sex, y: not needed" in drawn
    assert "sex, x: unknown" in drawn


@pytest.mark.parametrize("name", ["<script>", "a" * 200])
def test_names_stay_inside(name: str) -> None:
    need = {**NEEDS[0], "attribute": name}
    assert "<script>" not in needs_figure(["x", "y"], [need]).__html__()
