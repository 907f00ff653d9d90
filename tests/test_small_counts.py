"""No subtraction of two published figures uncovers a few people, wherever they are published."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._small_counts import (
    PublishedCounts,
    few,
    joined,
    publish_classes,
    publish_interval,
    publish_nested,
    publish_share,
    share_step,
)
from sparsam.assess import assess_generalization
from sparsam.assess._assessment import class_sizes
from sparsam.attack import GeneralizedRecords, run_attacks
from sparsam.attack._singling_out import class_details
from sparsam.cli._main import cli
from sparsam.data import Roles, resolve, split
from sparsam.generalization import Generalization
from sparsam.report import attack_report

SIZES = st.lists(st.integers(1, 12) | st.integers(1, 400), min_size=1, max_size=40)


def told_numbers(count: Any) -> list[int]:
    """Every number that a published count shows, the bound in its words included."""
    if isinstance(count, str):
        # "fewer than 12" names a number that is five above one that is told
        return []
    return [] if count is None else [count]


def assert_closed(counts: list[Any], total: int) -> None:
    """No figure, no difference of two of them and no complement is from one to four."""
    numbers = {0, total, *(number for count in counts for number in told_numbers(count))}
    for one, other in itertools.combinations(sorted(numbers), 2):
        assert not few(other - one) or {one, other} == {0, total}, (counts, total)


def possible(count: Any, total: int) -> set[int]:
    """The counts that a reader who knows the rules thinks possible."""
    if isinstance(count, int):
        return {count}
    below, above = (
        re.fullmatch(rf"{words} ([\d,]+)", count) for words in ("fewer than", "more than")
    )
    if below:
        high = int(below[1].replace(",", ""))
        return set(range(max(1, high - 4), high))
    assert above, count
    return set(range(int(above[1].replace(",", "")) + 1, total))


@given(SIZES)
def test_class_sizes_of_one_table(sizes: list[int]) -> None:
    total = sum(sizes)
    found = class_sizes(np.array(sizes))
    exact, said = found.facts(), found.to_dict()
    counts = [said["alone"], *said["under"].values()]
    assert_closed(counts, total)
    truth = [exact["alone"], *exact["under"].values()]
    for count, true in zip(counts, truth, strict=True):
        assert true in possible(count, total) or (true == total and few(total))
        if not isinstance(count, int):
            assert len(possible(count, total)) > 1 or total <= 5
    assert not few(said["smallest"]) or said["smallest"] == "fewer than 5"
    assert isinstance(said["distinct"], str) == few(total - len(sizes))
    assert re.findall(r"\b[1-4]\b", re.sub(r"'?distinct.*?,", "", repr(found))) == []


@given(SIZES, st.lists(st.integers(0, 500), max_size=10))
def test_singling_out_beside_others(sizes: list[int], others: list[int]) -> None:
    total = sum(sizes)
    facts = class_details(np.array(sizes))
    others = [min(other, total) for other in others]
    tell = PublishedCounts([facts["alone"], *facts["under"].values(), *others], total)
    said = publish_classes(facts, total, tell)
    bars = [bar["people"] for bar in said["histogram"]]
    assert sum(bar for bar in bars if isinstance(bar, int)) in (0, total)
    sums = list(itertools.accumulate(bar for bar in bars if isinstance(bar, int)))
    shown = [said["alone"], *said["under"].values(), *map(tell, others), *sums]
    assert_closed(shown, total)
    assert not few(facts["smallest"]) or said["rarest"] is None
    again = publish_classes(said, total)
    assert {**again, "histogram": None} == {**said, "histogram": None}
    assert again["histogram"] == said["histogram"]


@given(st.lists(st.integers(0, 60), max_size=12), st.integers(0, 60))
def test_any_counts_and_any_total(counts: list[int], more: int) -> None:
    counts = sorted(counts)
    total = max([0, *counts]) + more
    published = publish_nested(counts, total)
    assert_closed(published, total)
    for count, true in zip(published, counts, strict=True):
        assert true in possible(count, total) or (true == total and few(total))
    # the bound in words is five above a number that is told anyway, or five below the total
    shown = {0, *(count for count in published if isinstance(count, int))}
    for count in published:
        if isinstance(count, str) and count.startswith("fewer"):
            assert int(count.split()[-1]) - 5 in shown


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12))
def test_bars_of_a_histogram(people: list[int]) -> None:
    bars = joined([{"from": n, "to": n, "people": count} for n, count in enumerate(people)])
    assert bars[0]["from"] == 0
    assert bars[-1]["to"] == len(people) - 1
    assert all(later["from"] == bar["to"] + 1 for bar, later in itertools.pairwise(bars))
    if not few(sum(people)):
        assert sum(bar["people"] for bar in bars) == sum(people)
        assert not any(few(bar["people"]) for bar in bars)


@given(st.integers(5, 10**7), st.data())
def test_shares_tell_of_five_people_or_more(people: int, data: st.DataObject) -> None:
    one, other = (data.draw(st.integers(0, people)) for _ in range(2))
    shares = [publish_share(count / people, people) for count in (one, other)]
    apart = abs(shares[0] - shares[1]) * people
    # the last step ends at all people, however wide it is
    assert apart < 1e-6 or apart >= 5 * (1 - 1e-6) or max(shares) == 1
    assert shares[0] == pytest.approx(one / people, abs=share_step(people) / 2 + 1e-9)
    assert publish_share(shares[0], people) == shares[0]
    low, high = publish_interval((one / people, one / people), people)  # type: ignore[misc]
    assert low <= one / people + 1e-9
    assert high >= one / people - 1e-9


def test_nothing_is_told_of_fewer_than_five() -> None:
    assert publish_share(0.5, 4) is None
    assert publish_interval((0.1, 0.2), 3) is None
    assert publish_share(None, 100) is None
    assert PublishedCounts([3], 3)(3) == "fewer than 5"
    assert PublishedCounts([])("fewer than 12") == "fewer than 12"


# ------------------------------------------------------------------ everything that one result says

COUNTED = ("alone", "smallest", "rarest", "control_records", "people_at_once")


def counts_in(said: Any, key: str = "") -> Iterator[Any]:
    """The counts of people in published data, wherever they stand."""
    if isinstance(said, dict):
        for name, inner in said.items():
            if name in COUNTED and isinstance(inner, int | str):
                yield inner
            elif name == "under":
                yield from inner.values()
            elif name == "histogram":
                # Two bars have nobody in common; their sums are what can be subtracted.
                yield from itertools.accumulate(bar["people"] for bar in inner)
            else:
                yield from counts_in(inner, name)
    elif isinstance(said, list):
        for inner in said:
            yield from counts_in(inner, key)


def people_with(sizes: list[int]) -> dict[str, np.ndarray]:
    """A table whose records, by one attribute, are shared by so many people."""
    code = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(len(sizes))
    code = rng.permutation(code)
    return {
        "code": np.array([f"c{one}" for one in code]),
        "rare": np.where(rng.random(len(code)) < 0.01, "yes", "no"),
        "works": rng.integers(0, 2, len(code)),
    }


@settings(max_examples=5, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=3, max_size=12), st.integers(100, 140))
def test_all_outputs_of_one_assessment(rare: list[int], many: int) -> None:
    table = people_with([*rare, many, many])
    parts = split(resolve(table, Roles("works")), random_state=0)
    identity = Generalization.identity(parts.train.table)
    total = parts.train.n_rows
    found = assess_generalization(identity, parts)
    report = attack_report(run_attacks(identity, parts, ["A1", "A8"]), identity, parts)
    said = [found.to_dict(), report.to_dict()["attacks"]]
    counts = [count for one in said for count in counts_in(one) if count != "fewer than 5"]
    assert_closed(counts, total)
    sizes = found.to_dict()["class_sizes"]
    details = next(r for r in said[1]["risks"] if r["adversary"].startswith("A8"))["details"]
    for size in ("5", "10"):
        assert details["under"][size] == sizes["under"][size]
    assert details["alone"] == sizes["alone"]
    for risk in (*found.to_dict()["risk"]["parts"], found.to_dict()["utility"]):
        # the value of a utility is what its error leaves
        for name in ({"error"} & set(risk) or {"value"}) | ({"baseline"} & set(risk)):
            steps = risk[name] / share_step(risk.get("n") or risk["n_records"])
            assert steps == pytest.approx(round(steps), abs=1e-6)
    text = report.to_markdown() + report.to_html() + str(found.risk) + repr(found.class_sizes)
    exact = found.class_sizes.facts()
    hidden = exact["under"]["5"] - exact["alone"]
    if few(hidden):
        words = [one for one in (sizes["alone"], sizes["under"]["5"]) if isinstance(one, str)]
        assert words
        assert all(one in text for one in words)


def test_seven_alone_and_one_pair(tmp_path) -> None:
    table = people_with([*[1] * 7, 2, 400, 200])
    pairs = zip(table["code"], table["works"], strict=True)
    file, saved = tmp_path / "people.csv", tmp_path / "people.json"
    file.write_text("\n".join(["code,works", *(f"{code},{works}" for code, works in pairs)]))
    task = resolve(str(file), Roles("works"))
    # The pair must be in the part that is counted, both of it.
    seed, identity = next(
        (seed, identity)
        for seed in range(2000)
        for parts in [split(task, random_state=seed)]
        for identity in [Generalization.identity(parts.train.table)]
        if class_sizes(GeneralizedRecords.of(identity, parts).counts("train")).under[5] == 9
    )
    identity.save(saved)
    arguments = [
        str(saved),
        str(file),
        "--target",
        "works",
        "--seed",
        str(seed),
        "-q",
    ]
    runner = CliRunner()
    said = json.loads(runner.invoke(cli, ["assess", *arguments, "--json"]).stdout)
    assert said["class_sizes"]["alone"] == 7
    assert said["class_sizes"]["under"] == {"5": "fewer than 12", "10": "fewer than 12"}
    shown = runner.invoke(cli, ["assess", *arguments, "--min-class-size", "2"])
    assert "7 people stand alone" in shown.stdout
    assert "measured fewer than 5" in shown.stdout
    page = tmp_path / "attack.md"
    command = ["attack", *arguments, "--adversary", "A8", "--json", "--report", str(page)]
    attacked = json.loads(runner.invoke(cli, command).stdout)["risks"][0]["details"]
    assert attacked["alone"] == attacked["under"]["2"] == 7
    assert attacked["under"]["5"] == attacked["under"]["10"] == "fewer than 12"
    assert attacked["rarest"] is None
    for text in (shown.stdout, page.read_text()):
        assert not re.search(r"\b[29] (people|records)", text)


@given(people=st.integers(5, 2000), share=st.floats(0, 1))
def test_no_share_is_more_than_all(people: int, share: float) -> None:
    assert 0 <= publish_share(share, people) <= 1
    low, high = publish_interval((share, share), people)  # type: ignore[misc]
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1
