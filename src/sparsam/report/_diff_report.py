"""The report on two versions of a generalization: what changed, and what both reveal together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparsam._small_counts import publish_nested
from sparsam.attack import VersionRisks, publish_risk
from sparsam.data import Split
from sparsam.generalization import Changes, Generalization, changes
from sparsam.report._closing import (
    NO_HASH,
    Meaning,
    meaning_section,
    reproduce_data,
    reproduce_section,
    task_data,
    task_facts,
    versions,
)
from sparsam.report._collected import members, shown
from sparsam.report._document import Document, plain
from sparsam.report._made import Day, made_data
from sparsam.report._words import (
    counted,
    data_words,
    percent,
    percent_range,
    recovered_percent,
    setting,
    whole,
)
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Chips,
    Column,
    Heading,
    Items,
    KeyFigure,
    Notice,
    Page,
    Row,
    Section,
    Table,
    Text,
    Verdict,
    Words,
    name,
    number,
    strong,
)

_MEANING: tuple[Meaning, ...] = (
    {
        "heading": "Together means the same people",
        "text": "Records of both versions reveal more only of people who are in both: who were "
        "asked again, or whose old record was kept. Whoever deletes or coarsens the old records "
        "before the new ones are collected pays nothing of it.",
    },
    {
        "heading": "Finer is not worse, and coarser is not safe",
        "text": "Finer says that values are told apart that were not. How much that tells of a "
        "person depends on all attributes together: measure it, with the table of people as a "
        "third file, or with sparsam attack.",
    },
    {
        "heading": "Only what the documents say is compared",
        "text": "Whether a form, a database or a model really collects this, and nothing else, no "
        "document can say.",
    },
)
_MEASURED: Meaning = {
    "heading": "The risk is what this attack achieved, not what is possible",
    "text": "The attacker knows both versions and a full-resolution sample from the same "
    "population, and the strongest of several models was used for each attribute. A cleverer "
    "attack, or one with more knowledge about a person, may recover more.",
}
_GROUPS = {
    "gained": "Collected now, and not before",
    "lost": "No longer collected",
    "finer": "More finely than before",
    "coarser": "More coarsely than before",
    "regrouped": "Cut otherwise: finer in one place, coarser in another",
    "not comparable": "Not comparable",
    "reworded": "The same buckets, with other values or words",
}
_SHORT = {
    "gained": "collected now",
    "lost": "no longer collected",
    "finer": "finer",
    "coarser": "coarser",
    "regrouped": "cut otherwise",
    "not comparable": "not comparable",
    "reworded": "other words",
    "same": "as before",
}


class DiffReport(Document[dict[str, Any]]):
    """What changed between two versions of a generalization, to read, to print and to file.

    Parameters
    ----------
    data : dict
        What was compared and measured, as plain values.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        safe = plain(data)
        if safe["risks"] is not None:
            safe["risks"] = {which: publish_risk(risk) for which, risk in safe["risks"].items()}
        super().__init__(safe)

    @property
    def finer(self) -> bool:
        """Whether anything is collected more finely than before, or perhaps so."""
        return bool(self._data["changes"]["finer"])

    def page(self) -> Page:
        """Return the report as a page."""
        data = self._data
        attributes, risks = data["changes"]["attributes"], data["risks"]
        task = () if data["task"] is None else task_facts(data["task"])
        return Page(
            title=data["title"],
            verdict=_verdict(data),
            figures=tuple(_figures(data)),
            sections=(
                Section("changes", "What changed", tuple(_change_blocks(data))),
                Section("buckets", "Before and now", tuple(_bucket_blocks(attributes))),
                Section("together", "What both reveal together", tuple(_together(data))),
                meaning_section(data["meaning"]),
                reproduce_section(
                    data["reproduce"],
                    "The same command on the same files gives the same report.",
                    (*_document_facts(data), *task),
                ),
            ),
            brief=(*_change_blocks(data), *(() if risks is None else (_risk_table(risks),))),
            saved_as="changes.html",
        )

    def __repr__(self) -> str:
        changed = [a for a in self._data["changes"]["attributes"] if a["change"] != "same"]
        return f"<DiffReport: {len(changed)} attributes changed>"


def diff_report(
    old: Generalization,
    new: Generalization,
    risks: VersionRisks | None = None,
    data: Split | None = None,
    *,
    title: str | None = None,
    names: tuple[str, str] = ("old", "new"),
    source: str = "table",
    command: str | None = None,
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
    remarks: Sequence[str] = (),
) -> DiffReport:
    """Write down what a new version of a generalization collects otherwise than the one before.

    Parameters
    ----------
    old, new : Generalization
    risks : VersionRisks, optional
        What can be recovered from each version, and from both together: what
        `sparsam.attack.attack_versions` returned.
    data : Split, optional
        The people that the risks were measured on.
    title : str, optional
    names : tuple of str
        What both documents are called: file names, not paths.
    source : str, default="table"
        What the table is called: a file name, not a path.
    command : str, optional
        The command that compared.
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.
    remarks : sequence of str, default=()
        What else a reader must know of the documents.

    Returns
    -------
    DiffReport

    Examples
    --------
    >>> from sparsam.generalization import Generalization
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> ages = NumericDomain(0, 99, integer=True)
    >>> old, new = (
    ...     Generalization([numeric_partition("age", ages, cuts)])
    ...     for cuts in ([30, 40, 50], [30, 50])
    ... )
    >>> print(diff_report(old, new).verdict)
    Nothing is collected more finely than before; 1 attribute is coarser. Together, both versions \
tell no more apart than the finer one.
    """
    compared = changes(old, new)
    meaning = _MEANING if risks is None else (*_MEANING, _MEASURED)
    return DiffReport(
        {
            "title": title or "What changed in what is collected",
            "made": made_data(author, purpose, date),
            "documents": list(map(_document, (old, new), names)),
            "remarks": list(remarks),
            "changes": _changes_data(compared),
            "facts": list(_fact_changes(compared)),
            "risks": None if risks is None else risks.facts(),
            "task": None if data is None else task_data(data),
            "meaning": list(meaning),
            "reproduce": _reproduce(data, source, command),
            "confidence": 0.95,
        }
    )


def _document(version: Generalization, called: str) -> dict[str, Any]:
    digest = hashlib.sha256(version.to_json().encode("utf-8")).hexdigest()
    return {"name": called, "sha256": digest}


def _changes_data(compared: Changes) -> dict[str, Any]:
    """What changed, with the categories of each bucket whose label does not name them all."""
    told = compared.to_dict()
    for attribute, change in zip(told["attributes"], compared.attributes, strict=True):
        sides = {"before": change.before, "after": change.after, "together": change.together}
        for side, partition in sides.items():
            if partition is not None:
                attribute[side]["members"] = members(partition)
    return told


def _reproduce(data: Split | None, source: str, command: str | None) -> dict[str, Any]:
    if data is not None:
        return reproduce_data(data, source, command, {})
    return {
        "versions": versions(),
        "seed": None,
        "input": {"name": "two documents, no table", "hash": NO_HASH, "rows": None},
        "command": command,
        "settings": {},
    }


# What else the documents say


_FACTS = {
    "target": "What is predicted",
    "minimiser": "Learned by",
    "sparsam": "Version of sparsam",
}


def _fact_changes(compared: Changes) -> Iterator[dict[str, str]]:
    """What the documents say of where they come from, as far as it differs."""
    before, after = compared.old.about, compared.new.about
    yield from _personal_changes(before.get("personal"), after.get("personal"))
    for key, what in _FACTS.items():
        yield from _fact(what, before.get(key), after.get(key))
    rows = [about.get("learned_from_rows") for about in (before, after)]
    if rows[0] != rows[1]:
        told = publish_nested([n if isinstance(n, int) else None for n in rows])
        yield {"what": "Records it was learned from", "before": whole(told[0]),
               "after": whole(told[1])}  # fmt: skip
    settings = [_inside(about, "parameters") for about in (before, after)]
    for key in dict.fromkeys((*settings[0], *settings[1])):
        yield from _fact(f"Setting {key.replace('_', ' ')}", *(s.get(key) for s in settings))
    roles = [_inside(about, "roles") for about in (before, after)]
    yield from _role_changes(*roles)


def _personal_changes(before: Any, after: Any) -> Iterator[dict[str, str]]:
    if isinstance(before, list) and isinstance(after, list):
        for what, here, there in (
            ("Protected no more", before, after),
            ("Protected now", after, before),
        ):
            if names := [str(one) for one in here if one not in there]:
                sides = {"before": names, "after": []} if here is before else {
                    "before": [], "after": names}  # fmt: skip
                yield {"what": what, **{side: setting(listed) for side, listed in sides.items()}}
    else:
        yield from _fact("What is protected", before, after)


def _role_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Roles, units and texts that mean missing, as the user gave them."""
    first, second = (_inside(roles, "roles") for roles in (before, after))
    for key in dict.fromkeys((*first, *second)):
        if key not in ("target", "personal"):
            words = key.replace("_", " ")
            yield from _fact(words[:1].upper() + words[1:], first.get(key), second.get(key))
    first, second = (_inside(roles, "attributes") for roles in (before, after))
    for attribute in dict.fromkeys((*first, *second)):
        mine, other = _inside(first, attribute), _inside(second, attribute)
        for key in dict.fromkeys((*mine, *other)):
            words = f"{attribute}: {key.replace('_', ' ')}"
            yield from _fact(words, mine.get(key), other.get(key))
    yield from _fact("File", _inside(before, "file") or None, _inside(after, "file") or None)


def _fact(what: str, before: Any, after: Any) -> Iterator[dict[str, str]]:
    if before != after:
        yield {"what": what, "before": setting(before), "after": setting(after)}


def _inside(facts: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inside = facts.get(key)
    return inside if isinstance(inside, dict) else {}


# The head of the page


def _verdict(data: Mapping[str, Any]) -> Verdict:
    return Verdict(_changed_words(data["changes"]), _together_words(data))


def _changed_words(compared: Mapping[str, Any]) -> str:
    kinds = [attribute["change"] for attribute in compared["attributes"]]
    told = {
        "gained": "collected now that {was} not",
        "not comparable": "collected in another way, perhaps more finely",
        "finer": "finer",
        "regrouped": "finer in one place and coarser in another",
        "coarser": "coarser",
        "lost": "no longer collected",
    }
    clauses: list[str] = []
    for kind, words in told.items():
        if count := kinds.count(kind):
            verb, was = ("is", "was") if count == 1 else ("are", "were")
            what = counted(count, "attribute") if not clauses else whole(count)
            clauses.append(f"{what} {verb} {words.format(was=was)}")
    if not clauses:
        return "Nothing changed in what is collected."
    if compared["finer"]:
        return f"{_sentence(clauses)}."
    return f"Nothing is collected more finely than before; {_sentence(clauses)}."


def _sentence(clauses: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(clauses[:-1]), clauses[-1])))


def _together_words(data: Mapping[str, Any]) -> str:
    attributes = data["changes"]["attributes"]
    only = [attribute for attribute in attributes if attribute["together"]["only_together"]]
    words = "Together, both versions tell no more apart than the finer one."
    if all(attribute["change"] in ("same", "reworded") for attribute in attributes):
        words = "Both versions tell the same apart."
    if only:
        words = (
            f"Together, both versions tell more apart than either alone, in "
            f"{counted(len(only), 'attribute')}."
        )
    risks = data["risks"]
    if risks is None:
        return words
    both, old, new = (
        recovered_percent(risks[which]["recovered"]) for which in ("together", "before", "after")
    )
    return (
        f"{words} Whoever has both records of a person recovers {both} of what the majority guess "
        f"gets wrong; {old} from the old one alone, {new} from the new one alone."
    )


def _figures(data: Mapping[str, Any]) -> Iterator[KeyFigure]:
    before, after, both = (data["changes"][which] for which in ("before", "after", "together"))
    yield KeyFigure(
        f"{before['collected']} → {after['collected']}",
        "attributes are collected",
        (f"{both['collected']} in both together",),
    )
    yield KeyFigure(
        f"{whole(before['buckets'])} → {whole(after['buckets'])}",
        "buckets are told apart",
        (f"{whole(both['buckets'])} in both together", "in the attributes that are collected"),
    )
    if data["risks"] is None:
        return
    for which, words in (
        ("after", "recovered from the new records"),
        ("together", "recovered from both together"),
    ):
        risk = data["risks"][which]
        notes = (
            f"of what the majority guess gets wrong ({percent(risk['baseline'])})",
            f"attacker wrong {percent(risk['value'])} ({percent_range(risk['interval'])})",
            data_words(risk["split"]),
        )
        yield KeyFigure(recovered_percent(risk["recovered"]), words, notes)


# Sections


def _change_blocks(data: Mapping[str, Any]) -> Iterator[Block]:
    """The changes in words: what is finer first."""
    for remark in data["remarks"]:
        yield Notice(name(remark))
    attributes = data["changes"]["attributes"]
    changed = False
    for kind, title in _GROUPS.items():
        of_kind = [attribute for attribute in attributes if attribute["change"] == kind]
        if of_kind:
            changed = True
            yield Heading(title)
            yield Items(tuple(_sentences(of_kind)))
    if not changed:
        yield Text("Every attribute is collected as before, in the same buckets.")
    unlisted = [a["attribute"] for a in attributes if a["change"] == "same" and _only_one(a)]
    if unlisted:
        words = f"Listed in one of the documents only, and not collected: {', '.join(unlisted)}."
        yield Text(name(words), note=True)
    if facts := data["facts"]:
        yield Heading("What else the documents say otherwise")
        yield Table(
            "Facts about both versions that differ",
            ("Fact", Column("Before", label="before"), Column("Now", label="now")),
            tuple(
                (name(fact["what"]), name(fact["before"]), name(fact["after"])) for fact in facts
            ),
            stack="late",
        )


def _only_one(attribute: Mapping[str, Any]) -> bool:
    return attribute["before"] is None or attribute["after"] is None


def _sentences(attributes: Sequence[Mapping[str, Any]]) -> Iterator[Words]:
    for attribute in attributes:
        for sentence in attribute["words"]:
            yield (strong(name(attribute["attribute"])), ": ", name(sentence))


def _bucket_blocks(attributes: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    collected = [attribute for attribute in attributes if _collected(attribute)]
    if not collected:
        yield Text("Neither version collects anything.")
        return
    yield Table(
        "The buckets of every attribute that either version collects",
        (
            "Attribute",
            Column("Before", label="before"),
            Column("Now", label="now"),
        ),
        tuple(map(_bucket_row, collected)),
        look="attributes versions",
        stack="late",
    )


def _collected(attribute: Mapping[str, Any]) -> bool:
    sides = (attribute["before"], attribute["after"])
    return any(side is not None and side["collected"] for side in sides)


def _bucket_row(attribute: Mapping[str, Any]) -> Row:
    title = Cell(name(attribute["attribute"]), _SHORT[attribute["change"]])
    return (title, _bucket_cell(attribute["before"]), _bucket_cell(attribute["after"]))


def _bucket_cell(side: Mapping[str, Any] | None) -> Cell:
    if side is None or not side["collected"]:
        return Cell("not collected")
    return Cell(chips=_chips(side))


def _chips(side: Mapping[str, Any]) -> Chips:
    inside = {label: tuple(categories) for label, categories in side["members"].items()}
    return Chips(shown(side["labels"]), inside)


def _together(data: Mapping[str, Any]) -> Iterator[Block]:
    attributes = data["changes"]["attributes"]
    only = [a for a in attributes if a["together"]["only_together"]]
    yield Text(
        "Whoever has both records of a person knows each value up to what the old and the new "
        "bucket have in common. Where one version only joins what the other tells apart, that is "
        "no more than the finer one tells."
    )
    if not only:
        words = "Here it is nowhere more: every bucket of one version lies inside the other's."
        yield Notice((strong("✓ Nothing is added."), " ", words), "met")
    else:
        yield Table(
            "Attributes of which both versions together tell more than either alone",
            (
                "Attribute",
                number("Buckets before", "before"),
                number("Buckets now", "now"),
                Column("Both together", label="together"),
            ),
            tuple(map(_together_row, only)),
            look="attributes",
            stack="late",
        )
    if data["risks"] is not None:
        yield Heading("Measured")
        yield _risk_table(data["risks"])
        yield Heading("Recovered of each personal attribute")
        yield _by_attribute(data["risks"])
        risk = data["risks"]["together"]
        yield Text(
            f"On {counted(risk['n'], 'person', 'people')}, {data_words(risk['split'])}. Wrong is "
            "how often the attacker errs, in the mean over all personal attributes, with its 95 % "
            "interval; recovered is the share of the majority guess’s mistakes that it avoids.",
            note=True,
        )
    else:
        yield Text(
            "How much that gives away of people is measured where their table is given as a "
            "third file: sparsam diff old.json new.json people.parquet.",
            note=True,
        )


def _together_row(attribute: Mapping[str, Any]) -> Row:
    before, after = (
        whole(attribute[side]["buckets"]) if attribute[side] else "–"
        for side in ("before", "after")
    )
    return (name(attribute["attribute"]), before, after, Cell(chips=_chips(attribute["together"])))


_WHOSE = {
    "before": "The old records alone",
    "after": "The new records alone",
    "together": "Both together",
}


def _risk_table(risks: Mapping[str, Any]) -> Table:
    return Table(
        "What an attacker recovers from the old records, the new ones, and both",
        (
            "Attacker has",
            number("Wrong", "wrong"),
            number("95 % interval", "interval"),
            number("Majority guess", "guess"),
            number("Recovered", "recovered"),
        ),
        tuple(
            (
                words,
                percent(risks[which]["value"]),
                percent_range(risks[which]["interval"]) or "–",
                percent(risks[which]["baseline"]),
                strong(percent(risks[which]["recovered"])),
            )
            for which, words in _WHOSE.items()
        ),
        stack="late",
    )


def _by_attribute(risks: Mapping[str, Any]) -> Table:
    parts = {which: {part["attribute"]: part for part in risks[which]["parts"]} for which in _WHOSE}
    return Table(
        "Recovered of each personal attribute",
        (
            "Personal attribute",
            number("Old alone", "old"),
            number("New alone", "new"),
            number("Both together", "together"),
        ),
        tuple(
            (
                name(attribute),
                *(percent(_part(parts[which], attribute)) for which in _WHOSE),
            )
            for attribute in parts["together"]
        ),
        stack="late",
    )


def _part(parts: Mapping[str, Mapping[str, Any]], attribute: str) -> float | None:
    part = parts.get(attribute)
    return None if part is None else part["recovered"]


def _document_facts(data: Mapping[str, Any]) -> Iterator[tuple[Words, Words]]:
    for which, document in zip(("Before", "Now"), data["documents"], strict=True):
        words = (name(document["name"]), f", SHA-256 {document['sha256']}")
        yield (which, words)
