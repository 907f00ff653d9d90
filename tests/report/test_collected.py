"""What a generalization collects, in words."""

from __future__ import annotations

import datetime

from sparsam.data import CategoricalDomain, Roles, read, resolve
from sparsam.generalization import Generalization, categorical_partition
from sparsam.report._collected import _before, attribute_row, attributes_data, members
from sparsam.report.page._blocks import plain_words


def test_a_bucket_whose_label_is_cut_short_lists_its_members():
    colours = categorical_partition(
        "colour",
        CategoricalDomain(("red", "green", "blue", "black", "white")),
        [["red", "green", "blue", "black"], ["white"]],
    )
    assert members(colours) == {colours.labels[0]: ["red", "green", "blue", "black"]}


def test_dates_that_are_told_apart_by_year_were_collected_as_exact_dates():
    days = [datetime.date(1930 + i % 70, 1 + i % 12, 1) for i in range(300)]
    times = [datetime.time(i % 24, i % 60) for i in range(300)]
    table = read({"birth": days, "arrival": times, "one": [datetime.date(2020, 1, 1)] * 300})
    before = [_before(attribute) for attribute in table.attributes]
    assert before == ["exact dates", "exact times", "1 value"]
    ages = read({"birth": days}, roles=Roles(ages={"birth": "2024-12-31"}))
    assert _before(ages.attributes[0]) == "exact dates"


def test_the_unit_stands_behind_the_name():
    people = {"age": [20, 30, 40, 50] * 5, "sex": ["f", "m"] * 10, "y": ["a", "b"] * 10}
    task = resolve(people, Roles("y", units={"age": "years"}))
    age, sex = attributes_data(Generalization.identity(task.table), task)
    assert plain_words(attribute_row(age)[0]) == "age (years)"
    assert plain_words(attribute_row(sex)[0]) == "sex · personal"
    assert "unit" not in sex


def test_of_more_labels_than_anyone_reads_the_first_and_the_last_are_shown():
    labels = [f"{n} to under {n + 1}" for n in range(2_431)]
    attribute = {"name": "pay", "before_words": "exact numbers", "before": 9_000, "after": 2_431,
                 "collected": True, "buckets": labels}  # fmt: skip
    shown = attribute_row(attribute)[2].chips.labels
    assert len(shown) == 41
    assert (shown[0], shown[20], shown[-1]) == (
        labels[0], "… 2,391 more between them …", labels[-1],
    )  # fmt: skip
    assert attribute_row({**attribute, "buckets": labels[:200]})[2].chips.labels == (*labels[:200],)


def test_numbers_that_were_read_in_bins_are_not_collected_as_before():
    people = {"age": [*range(20, 60)] * 20, "income": range(800)}
    roles = Roles(numeric=["age", "income"])
    task = resolve(people, roles, y=[0, 1] * 400)
    whole = Generalization.identity(task.table)
    rows = {row["name"]: attribute_row(row)[2] for row in attributes_data(whole, task)}
    assert rows["age"].chips is not None
    assert rows["age"].chips.remark == "as before, every value on its own"
    assert rows["income"].chips is not None
    assert rows["income"].chips.remark == ""
