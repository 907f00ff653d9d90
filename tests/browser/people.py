"""Made-up people, and how they answer a page."""

from __future__ import annotations

import json
import math
import random
from typing import Any, NamedTuple

from sparsam._errors import DataError
from sparsam.data import CategoricalDomain, NumericDomain, date_of, time_of
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    NumericPartition,
    Partition,
    categorical_partition,
    category_label,
    numeric_partition,
)

BY_HAND = 10
AGES = NumericDomain(0, 99, integer=True)
TIES = CategoricalDomain(
    ("adopted child", "child", "grandchild", "housemate", "other", "parent", "sibling", "spouse")
)
SCHOOL = CategoricalDomain(("none", "primary", "secondary", "college", "doctorate"), ordered=True)


def everything() -> Generalization:
    """Every kind of question, some named as properties of forms are, and some oddly."""
    births = NumericDomain("1931-01-01", "2009-12-31", unit="date")
    clock = NumericDomain("00:00", "23:59", unit="time")
    towns = CategoricalDomain(tuple(f"town {i}" for i in range(20)))
    by_town = [["town 0", "town 19"], *([f"town {i}"] for i in range(1, 19))]
    by_tie = [["child", "other"], ["spouse"], ["adopted child", "grandchild", "housemate"]]
    schools = [["none"], list(SCHOOL.categories[1:])]
    truths = CategoricalDomain((True, False))
    return Generalization(
        [
            numeric_partition("age", AGES, [20, 66]),
            categorical_partition("reset", SCHOOL, schools, missing=2),
            categorical_partition(
                'relation "to" & <head>', TIES, [*by_tie, ["parent", "sibling"]], unseen=4
            ),
            numeric_partition("submit", births, ["1960-01-01", "1985-07-15"], beyond="error"),
            numeric_partition("état civil", clock, ["08:30", "17:00"], missing=3),
            numeric_partition("querySelector", NumericDomain(-5.5, 40.0), [-0.25, 0.1, 37.5]),
            categorical_partition("dataset", towns, by_town),
            numeric_partition("elements", AGES, list(range(5, 95, 5))),
            categorical_partition("action", truths, [[True], [False]]),
            numeric_partition("not asked", AGES, []),
        ]
    )


def person(g: Generalization, rng: random.Random) -> dict[str, Any]:
    """A raw record that the generalization takes."""
    return {part.name: _value(part, rng) for part in g}


def _value(part: Partition, rng: random.Random) -> Any:
    while True:
        value = _number(part, rng) if isinstance(part, NumericPartition) else _category(part, rng)
        if rng.random() < 0.05:
            value = None
        try:
            part.bucket(value)
        except DataError:
            continue
        return value


def _number(part: NumericPartition, rng: random.Random) -> Any:
    domain = part.domain
    number = rng.uniform(domain.low, domain.high)
    if part.cuts and rng.random() < 0.4:  # at a cut, or just beside it
        cut = rng.choice(part.cuts)
        number = rng.choice([cut, math.nextafter(cut, -math.inf), cut - 1, cut + 1])
    if domain.unit == "date":
        return date_of(math.floor(number)).isoformat()
    if domain.unit == "time":
        return time_of(math.floor(number) % 1440).isoformat("minutes")
    return math.floor(number) if domain.integer and rng.random() < 0.9 else number


def _category(part: CategoricalPartition, rng: random.Random) -> Any:
    return rng.choice([*part.domain.categories, "never seen"])


def named(name: str) -> str:
    """A selector of the fields of a name."""
    return f"[name={json.dumps(name, ensure_ascii=False)}]"


class Step(NamedTuple):
    """How one question is answered: what is marked, typed or found."""

    name: str
    how: str
    what: str | int


def decide(part: Partition, value: Any, rng: random.Random, *, assisted: bool) -> Step:
    """How a person answers a question: marks the line, or with `assisted` types or finds it too."""
    if assisted and value is not None and rng.random() < 0.6:
        if isinstance(part, NumericPartition):
            return Step(part.name, "type", value if isinstance(value, str) else repr(value))
        if value in part.domain.categories:
            return Step(part.name, "find", category_label(value))
    return Step(part.name, "mark", part.bucket(value))


def answer(page: Any, part: Partition, value: Any, rng: random.Random, *, assisted: bool) -> None:
    """Answer one question."""
    act(page, decide(part, value, rng, assisted=assisted), part.bucket(value))


def act(page: Any, step: Step, bucket: int) -> None:
    """Do it, with mouse and keyboard."""
    aid = f"fieldset:has({named(step.name)}) .aid"
    if step.how == "type":
        page.fill(f"{aid} input", step.what)
    elif step.how == "find" and page.query_selector(aid):
        page.select_option(f"{aid} select", label=step.what)
    else:
        mark(page, step.name, bucket)


_QUICKLY = """(steps) => {
  const told = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));
  const holds = (value, bucket) => value.split(".").some((run) => {
    const [first, last = first] = run.split("-");
    return +first <= bucket && bucket <= +last;
  });
  const shown = [];
  for (const [name, how, what, bucket] of steps) {
    const fields = [...document.querySelectorAll("[name]")].filter((field) => field.name == name);
    const aid = fields[0].closest("fieldset")?.querySelector(".aid [form]");
    if (how == "type") (aid.value = what), told(aid);
    else if (how == "find" && aid) {
      aid.selectedIndex = [...aid].findIndex((option) => option.text == what);
      told(aid);
    } else if (fields[0].type == "radio") fields.find((line) => holds(line.value, bucket)).click();
    else {
      fields[0].selectedIndex = [...fields[0]].findIndex((option) => holds(option.value, bucket));
      told(fields[0]);
    }
    shown.push([...new Set([...document.querySelectorAll("fieldset [name]")].map((f) => f.name))]);
  }
  return shown;
}"""


def act_quickly(page: Any, steps: list[tuple[Step, int]]) -> list[list[str]]:
    """Do all at once, by a script in the page; return what is asked after each step."""
    shown: list[list[str]] = page.evaluate(_QUICKLY, [[*step, bucket] for step, bucket in steps])
    return shown


def mark(page: Any, name: str, bucket: int) -> None:
    """Mark the line, or pick from the list, what stands for a bucket."""
    lines = page.eval_on_selector_all(
        f"input{named(name)}, {named(name)} option",
        "lines => lines.map(line => [line.localName, line.value])",
    )
    kind, value = next(line for line in lines if holds(line[1], bucket))
    if kind == "option":
        page.select_option(named(name), value)
    else:
        page.check(f"{named(name)}[value='{value}']")


def holds(value: str, bucket: int) -> bool:
    """Whether "1-3.5" stands for a bucket."""
    runs = [run.split("-") for run in value.split(".") if run]
    return any(int(run[0]) <= bucket <= int(run[-1]) for run in runs)


def send(page: Any, site: Any, *, quickly: bool) -> Any:
    """Send a page; return the one request that reached the server."""
    site.requests.clear()
    if quickly:
        with page.expect_navigation(wait_until="commit"):
            page.evaluate("document.querySelector('button').click()")
    else:
        page.get_by_role("button").click()
        page.get_by_text("Thanks.").wait_for()
    [request] = site.requests
    return request
