"""A mask as an image of blocks of people."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.individual import Mask, Retention
from sparsam.report._individual_data import picture_of


def test_no_row_stands_for_fewer_than_ten_people(retention: Retention) -> None:
    axes = retention.mask.plot()
    [image] = axes.images
    shown = np.asarray(image.get_array())
    assert shown == pytest.approx(np.array(picture_of(retention.mask.kept)["rows"]))
    assert len(shown) * 10 <= len(retention.mask.kept)


def test_attributes_are_named_while_there_is_room() -> None:
    few = Mask(np.ones((50, 3), bool), ["age", "sex", "town"]).plot()
    assert [tick.get_text() for tick in few.get_xticklabels()] == ["age", "sex", "town"]
    many = Mask(np.ones((50, 60), bool)).plot()
    assert not many.get_xticklabels()
    assert many.get_xlabel() == "60 attributes"
