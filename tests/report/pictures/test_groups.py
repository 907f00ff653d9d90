"""The strips of groups."""

from __future__ import annotations

import pytest

from sparsam.report.pictures._groups import group_scale, group_strip
from sparsam.report.plot._scale import Scale

GROUP = {"loss": 0.03, "interval": [-0.01, 0.07], "loses_more": False}


def test_every_interval_and_no_loss_have_room():
    scale = group_scale([GROUP, {**GROUP, "interval": None, "loss": 0.09}], 0.002)
    assert (scale.low, scale.high) == (-0.01, 0.09)
    assert (group_scale([], None).low, group_scale([], 0.0).high) == (0.0, 1.0)


@pytest.mark.parametrize(("worse", "dot"), [(True, "attack"), (False, "dot")])
def test_a_group_that_loses_more_looks_different(worse, dot):
    strip = group_strip({**GROUP, "loses_more": worse}, 0.0, Scale(-0.01, 0.09, 0, 1), "words")
    drawn = strip.__html__()
    assert f'class="{dot}"' in drawn
    assert 'cx="40%"' in drawn
    assert "<title>words</title>" in drawn


def test_what_is_not_told_is_not_drawn():
    empty = {"loss": None, "interval": None, "loses_more": False}
    assert "circle" not in group_strip(empty, None, Scale(0, 1, 0, 1), "").__html__()
