"""How records are collected, kept and deleted, and what protects them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparsam.report._words import counted
from sparsam.report.page._blocks import Block, Items, Text
from sparsam.report.regulator._processing import Processing, to_fill_in


@dataclass(frozen=True)
class Measure:
    """One measure of protection."""

    title: str
    blocks: tuple[Block, ...]


def measures(known: Processing) -> Iterator[Measure]:
    """Return the measures that were taken: of a collector only where there is one.

    Parameters
    ----------
    known : Processing
    """
    total = counted(len(known.generalization), "attribute")
    yield Measure(
        "Minimisation at collection",
        (
            Text(
                f"Only {len(known.collected)} of {total} are asked for, and each of them only in "
                "the buckets that the purpose needs. What is finer is not collected, so that it "
                "can neither be lost nor used for anything else."
            ),
        ),
    )
    if known.keep_days is None:
        return
    yield Measure(
        "Refusal at the door",
        (
            Text(
                "The service takes records of bucket numbers only. Full resolution, an attribute "
                "that is not collected, a wrong type or a body that is too large is refused with "
                "the name of the attribute and what is allowed, never with what was sent."
            ),
        ),
    )
    yield Measure("Storage without persons", tuple(_storage(known)))
    yield Measure(
        "No logs of people",
        (
            Text(
                "The service keeps no access log, no address, no kind of browser and no time finer "
                "than a day. What stands before it, such as a proxy, must be set up likewise."
            ),
            to_fill_in("that the proxy and the host keep no such logs either"),
        ),
    )


def _storage(known: Processing) -> Iterator[Block]:
    if known.mode == "counts":
        yield Text(
            "The database holds how many people gave each record on each day, and no row for a "
            "person: no name, no number, no time of day."
        )
    else:
        yield Text(
            "The database holds one row for each record, with the day and a random receipt, and "
            "no name, no address and no time of day."
        )
    yield Text(
        "The database itself refuses a value that is no bucket. Who gave a record holds a signed "
        "receipt, and can have the record deleted without saying who they are."
    )


def life_cycle(known: Processing) -> Iterator[Block]:
    """Return how the data live, from the form to their deletion.

    Parameters
    ----------
    known : Processing
    """
    if known.keep_days is None:
        yield Text("Records are collected in buckets. Values that are finer are never stored.")
        yield to_fill_in("how records are collected, where they are kept, who uses them, and how "
                         "they are deleted")  # fmt: skip
        return
    kept = "a count for the day" if known.mode == "counts" else "a row with the day"
    yield Items(
        (
            "Form: a person chooses buckets; the page shows what will be sent, and sends that.",
            "Door: the service checks that the record has buckets only, and refuses all else.",
            f"Store: the record becomes {kept}; the person gets a receipt.",
            "Use: models are trained from the store, and answer from records in buckets.",
            "Deletion: by the person with the receipt, and for all by day: "
            f"{_kept(known.keep_days)}.",
        )
    )
    yield to_fill_in("who runs the service, on which machines, and who may read the store")


def retention(known: Processing) -> Iterator[Block]:
    """Return how long records are kept.

    Parameters
    ----------
    known : Processing
    """
    if known.keep_days is None:
        yield to_fill_in("how long records are kept, and why no shorter")
    else:
        yield Text(
            f"Records are deleted {_kept(known.keep_days)}, at the start of the service and every "
            "day. Who holds a receipt can have a record deleted before."
        )
        yield to_fill_in("why no shorter time would do, and how long copies and backups are kept")
    yield to_fill_in(
        "when the sample at full detail, from which the buckets were learned, was or is deleted"
    )


def _kept(days: int) -> str:
    return f"{counted(days, 'day')} after the day on which they came"
