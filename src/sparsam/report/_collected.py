"""What a generalization collects, attribute by attribute, in words."""

from __future__ import annotations

from sparsam.data import Attribute, Task
from sparsam.generalization import CategoricalPartition, Generalization, Partition
from sparsam.report._data import AttributeData


def attributes_data(generalization: Generalization, task: Task) -> list[AttributeData]:
    """Write down every attribute of a task, before and after."""
    personal = {task.names[p] for p in task.personal}
    return [
        attribute_data(attribute, generalization[attribute.name], attribute.name in personal)
        for attribute in task.table.attributes
    ]


def attribute_data(attribute: Attribute, partition: Partition, personal: bool) -> AttributeData:
    """Write down one attribute, before and after."""
    before = _before(attribute)
    after = ", ".join(partition.labels)
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
    }


def _before(attribute: Attribute) -> str:
    counted = f"{attribute.n_values:,} value{'s' * (attribute.n_values != 1)}"
    before = "exact numbers" if attribute.binned else counted
    return f"{before} or missing" if attribute.missing else before


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
