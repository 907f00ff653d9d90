"""Small counts of people never leave."""

from __future__ import annotations

import pytest

from sparsam._errors import ParameterError
from sparsam.report import Report


@pytest.mark.parametrize(
    ("count", "said"), [(0, 0), (1, "fewer than 5"), (4, "fewer than 5"), (5, 5)]
)
def test_small_counts_of_people_never_leave(make_data, count, said):
    data = make_data()
    for point in data["points"]:
        point["classes"] |= {"alone": count, "smallest": count, "under": {"5": count, "10": 77}}
    classes = Report(data).to_dict()["points"][0]["classes"]
    assert classes["alone"] == classes["smallest"] == classes["under"]["5"] == said
    assert classes["under"]["10"] == 77


def test_small_counts_are_words_in_every_rendering(make_data):
    data = make_data()
    for point in data["points"]:
        point["classes"] |= {"alone": 3, "smallest": 3, "under": {"5": 3}}
    report = Report(data)
    assert "| alone, nobody else has it | fewer than 5 |" in report.to_markdown()
    assert '<dd class="value wordy">fewer than 5</dd>' in report.to_html()
    assert '"alone": 3' not in report.to_json()


def test_a_chosen_point_that_is_not_there_is_an_error(make_data):
    with pytest.raises(ParameterError, match="'chosen'"):
        Report(make_data() | {"chosen": 4711})
