"""What a generalization collects, attribute by attribute: as plain data, and on a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparsam.data import Attribute, NumericDomain, Task
from sparsam.generalization import CategoricalPartition, Generalization, Partition
from sparsam.report._words import THIN, counted, percent, whole
from sparsam.report.page._blocks import (
    Block,
    Box,
    Cell,
    Chips,
    Column,
    Heading,
    Table,
    Text,
    Words,
    name,
    names,
    tag,
)

AttributeData = dict[str, Any]
_MOST_LABELS, _LABELS_AT_ENDS = 200, 20  # that a table shows of one attribute


def attributes_data(generalization: Generalization, task: Task) -> list[AttributeData]:
    """Write down every attribute of a task, before and after."""
    personal, units = {task.names[p] for p in task.personal}, task.roles.units
    return [
        {
            **attribute_data(attribute, generalization[attribute.name], attribute.name in personal),
            **({"unit": units[attribute.name]} if attribute.name in units else {}),
        }
        for attribute in task.table.attributes
    ]


def attribute_data(attribute: Attribute, partition: Partition, personal: bool) -> AttributeData:
    """Write down one attribute, before and after."""
    before = _before(attribute)
    after = " | ".join(partition.labels)
    return {
        "name": attribute.name,
        "kind": attribute.kind,
        "personal": personal,
        "before": attribute.size,
        "before_words": before,
        "after": partition.n_buckets,
        "collected": partition.collected,
        "buckets": list(partition.labels) if partition.collected else [],
        "members": members(partition),
        "words": f"{attribute.name}: {before} → {after}",
        **({"binned": True} if attribute.binned else {}),
    }


def _before(attribute: Attribute) -> str:
    values = counted(attribute.n_values, "value")
    exact = {"date": "exact dates", "time": "exact times"}.get(_unit(attribute), "exact numbers")
    before = exact if attribute.binned or _is_age(attribute) else values
    return f"{before} or missing" if attribute.missing else before


def _unit(attribute: Attribute) -> str:
    domain = attribute.domain
    if not isinstance(domain, NumericDomain):
        return ""
    return domain.unit or ("date" if _is_age(attribute) else "")


def _is_age(attribute: Attribute) -> bool:
    """Whether ages are found from dates of birth, which is what would be collected."""
    return isinstance(attribute.domain, NumericDomain) and attribute.domain.age_on is not None


def members(partition: Partition) -> dict[str, list[str]]:
    """List the categories of each bucket whose label does not name them all."""
    if not partition.collected or not isinstance(partition, CategoricalPartition):
        return {}
    named = zip(partition.labels, partition.groups, strict=False)
    return {
        label: [str(category) for category in group]
        for label, group in named
        if not all(str(category) in label for category in group)
    }


def collected_blocks(
    attributes: Sequence[AttributeData],
    n_buckets: int,
    information_loss: float | None,
    *,
    advice: bool,
) -> Iterator[Block]:
    """Return what to collect, or what is collected, attribute by attribute.

    Parameters
    ----------
    attributes : sequence of dict
        See `attributes_data`.
    n_buckets : int
    information_loss : float or None
    advice : bool
        Whether this is what should be collected, or what is.
    """
    collected = [attribute for attribute in attributes if attribute["collected"]]
    if collected:
        request = "Ask for these attributes" if advice else "These attributes are collected"
        before = sum(attribute["before"] for attribute in attributes)
        loss = ""
        if information_loss is not None:
            loss = (
                f" Information loss {percent(information_loss)}, where 0{THIN}% is all the detail "
                f"there was and 100{THIN}% is none."
            )
        yield Text(
            f"{request}, and only this precisely. {whole(before)} possible values become "
            f"{counted(n_buckets, 'bucket')}; an attribute that is not collected counts as one."
            f"{loss}"
        )
        yield collected_table(collected, advice=advice)
    elif advice:
        yield Text(
            "Nothing needs to be collected: here the model answers without any of these attributes."
        )
    else:
        yield Text("None of these attributes is collected.")
    yield from spared_box(attributes, "Do not collect" if advice else "Not collected")


def collected_table(collected: Sequence[AttributeData], *, advice: bool) -> Table:
    """Return the attributes that are collected, with their buckets."""
    before, after = ("Full detail", "Collected")
    if advice:
        before, after = ("Collected before", "Collect from now on")
    return Table(
        "What is collected, attribute by attribute",
        ("Attribute", Column(before, label="before"), after),
        tuple(attribute_row(attribute) for attribute in collected),
        look="attributes",
        stack="late",
    )


def attribute_row(attribute: Mapping[str, Any]) -> tuple[Words, Words, Cell]:
    """Return one attribute: its name, what it was before, and its buckets."""
    members = {label: tuple(inside) for label, inside in attribute.get("members", {}).items()}
    remark = "as before, every value on its own" if as_before(attribute) else ""
    title: Words = name(attribute["name"])
    if attribute.get("unit"):
        title = (title, " (", name(attribute["unit"]), ")")
    if attribute.get("personal"):
        title = (title, " ", tag("personal"))
    return (
        title,
        attribute["before_words"],
        Cell(chips=Chips(shown(attribute["buckets"]), members, remark)),
    )


def shown(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels, or the first and the last of more than anyone reads; the data have them all."""
    if len(labels) <= _MOST_LABELS:
        return tuple(labels)
    left_out = f"… {len(labels) - 2 * _LABELS_AT_ENDS:,} more between them …"
    return (*labels[:_LABELS_AT_ENDS], left_out, *labels[-_LABELS_AT_ENDS:])


def spared_box(attributes: Sequence[Mapping[str, Any]], title: str) -> Iterator[Block]:
    """Return a box with the attributes that are not collected, where there are any."""
    spared = [attribute["name"] for attribute in attributes if not attribute["collected"]]
    if spared:
        yield Box((Heading(title), Text(names(spared))), "spared")


def how_collected(attributes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return how each attribute is collected, by its name."""
    return {attribute["name"]: _how(attribute) for attribute in attributes}


def as_before(attribute: Mapping[str, Any]) -> bool:
    """Whether an attribute is collected in all its detail, which bins of numbers are not."""
    whole = attribute["after"] >= attribute["before"] and not attribute.get("binned")
    return bool(attribute["collected"] and whole)


def _how(attribute: Mapping[str, Any]) -> str:
    if not attribute["collected"]:
        return "not collected"
    if as_before(attribute):
        return "collected as before"
    return f"collected in {counted(attribute['after'], 'bucket')}"
