"""How the budget was spent."""

from __future__ import annotations

from typing import Any

import pytest

from sparsam.report.pictures._statement import spent_figure


def statement(*spent: float) -> Any:
    who = {"time": "2026-01-01", "analyst": "<ada>", "what": "a count", "amount": "0.1"}
    charges = [{**who, "spent": str(total)} for total in spent]
    return {"budget": "2", "unit": "epsilon", "charges": charges}


def test_bars_rise_to_what_is_spent(read_picture):
    picture = spent_figure(statement(0.5, 1.5))
    assert picture.words == "2 charges spent 75.0\u202f%."
    drawings = read_picture(picture)
    hint = drawings[0].find("rect[@class='before']").findtext("title")
    assert hint == "2026-01-01 <ada>: a count, 0.1 epsilon"
    for drawing in drawings:
        bars = drawing.findall("rect[@class='before']")
        low, high = (float(bar.get("height")) for bar in bars)
        assert high / low == pytest.approx(3, rel=1e-3)
        assert len(drawing.findall("line[@class='edge']")) == 1


@pytest.mark.parametrize("charges", [1, 3000])
def test_few_and_many_charges_stay_on_the_canvas(read_picture, charges):
    read_picture(spent_figure(statement(*(2 * place / charges for place in range(charges)))))


def test_nothing_is_drawn_before_the_first_charge():
    assert spent_figure(statement()) is None
