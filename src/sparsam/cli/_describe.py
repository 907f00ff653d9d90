"""`sparsam describe`: what any file that sparsam reads or writes holds, in a few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import rich_click as click

from sparsam._documents import parse_json, read_bytes
from sparsam._errors import DocumentError
from sparsam._printable import one_line
from sparsam.cli._ledger import LAST, is_ledger, opened_ledger, show_ledger
from sparsam.cli._options import InputTable, json_option, role_options, roles_from
from sparsam.cli._tables import is_table
from sparsam.cli._terminal import counted, echo_json
from sparsam.cli.collect._export import FORMATS

if TYPE_CHECKING:
    from sparsam.data import Roles
    from sparsam.generalization import Generalization

Told = tuple[list[str], dict[str, Any]]
"""What a file holds: lines for a person, and plain data."""

_MOST_LINES = 60


@click.command()
@click.argument("file", type=InputTable)
@click.option("--hierarchy", is_flag=True, help="FILE is a hierarchy of labels, as ARX has them.")
@role_options
@json_option
def describe(file: Path, hierarchy: bool, as_json: bool, **options: Any) -> None:
    """Describe FILE: a document that sparsam wrote, a ledger, or a table as it is read.

    Documents are generalizations, recodings, questionnaires, certificates, reports and answers of
    an exploration (.json), masks (.npz), roles (.toml) and, with --hierarchy, hierarchies.

    For a table: each attribute, its kind and how many values it has; never a value of a person.
    For a ledger: its budget, what is left and the last charges.
    """
    if not is_table(file) and file.is_file() and is_ledger(file):
        with opened_ledger(file) as ledger:
            show_ledger(ledger, LAST, as_json)
        return
    lines, data = _hierarchy(file) if hierarchy else _told(file, options)
    if as_json:
        echo_json(data)
        return
    for line in lines:
        click.echo(line)


def _told(file: Path, options: Mapping[str, Any]) -> Told:
    if is_table(file):
        return _table(file, roles_from(options))
    ending = file.suffix.lower()
    if ending == ".json":
        return _json(file)
    if ending == ".npz":
        return _mask(file)
    if ending == ".toml":
        return _roles(file)
    return _table(file, roles_from(options))


def _json(file: Path) -> Told:
    """Tell the documents apart by what they say they are."""
    try:
        document = parse_json(read_bytes(file))
    except DocumentError:
        document = None  # a generalization that is damaged says where
    known = document if isinstance(document, dict) else {}
    describe_it = _ARTIFACTS.get(str(known.get("format")))
    if describe_it is not None:
        return describe_it(file)
    if "title" in known and ("meaning" in known or "accounts" in known):
        return _report(known)
    if {"how", "answers", "plan"} <= set(known):
        return _answers(known)
    return _generalization(file)


def _generalization(file: Path) -> Told:
    from sparsam.generalization import Generalization

    artifact = Generalization.load(file)
    lines = [
        *(str(artifact), "", *_collects(artifact), *_facts(artifact.about)),
        *("", f"In other tools: sparsam export {one_line(file.name)} --to {' | '.join(FORMATS)}"),
    ]
    return lines, {"attributes": _attributes(artifact), "about": artifact.about}


def _recoding(file: Path) -> Told:
    from sparsam.generalization import Recoding

    recoding = Recoding.load(file)
    generalization = recoding.generalization
    leaves = len(recoding.leaves)
    settled = sum(leaf.prediction is not None for leaf in recoding.leaves.values())
    tree = str(recoding).splitlines()
    lines = [
        f"A recoding: {counted(leaves, 'way')} to be asked, {settled:,} of them with the model's "
        "answer known at their end.",
        *map(one_line, tree[:_MOST_LINES]),
        *([f"… and {counted(len(tree) - _MOST_LINES, 'more line')}"] * (len(tree) > _MOST_LINES)),
        "",
        str(generalization),
        "",
        *_collects(generalization),
        *_facts(recoding.about),
    ]
    return lines, {
        "leaves": leaves,
        "settled": settled,
        "attributes": _attributes(generalization),
        "about": recoding.about,
    }


def _questionnaire(file: Path) -> Told:
    from sparsam.collect import Questionnaire

    questionnaire = Questionnaire.load(file)
    interview = questionnaire.start()
    generalization = questionnaire.recoding.generalization
    order = questionnaire.order if isinstance(questionnaire.order, str) else "as listed"
    lines = [
        f"A questionnaire: at most {counted(len(interview.needed), 'question')}, in the order "
        f"'{order}'."
    ]
    if interview.next is not None:
        labels = [choice.label for choice in interview.choices(interview.next)]
        lines.append(one_line(f"First asked: {interview.next} ({' | '.join(labels)})"))
    about = questionnaire.recoding.about
    lines += ["", str(generalization), "", *_collects(generalization), *_facts(about)]
    return lines, {
        "questions": list(interview.needed),
        "first": interview.next,
        "order": questionnaire.order,
        "attributes": _attributes(generalization),
        "about": about,
    }


def _certificate(file: Path) -> Told:
    from sparsam.anonymise import Certificate

    paper = Certificate.load(file)
    lines = [
        f"A certificate of a release: {counted(paper.n_rows, 'row')}, "
        f"{counted(len(paper.columns), 'column')}.",
        f"quasi-identifiers: {', '.join(paper.quasi_identifiers)}",
        f"published as they are: {', '.join(paper.kept) or 'none'}",
        *(f"promised: {terms.words}" for terms in paper.demands),
        f"found: {counted(paper.classes, 'different record')}, the rarest shared by "
        f"{counted(paper.smallest, 'row')}",
        f"left out: at most {counted(paper.suppressed, 'row')}",
        *_facts({"information loss": paper.information_loss, "made with": paper.parameters}),
        f"hash of the release: {paper.sha256}",
        f"Whether a file is this release: sparsam verify FILE {file.name}",
    ]
    return list(map(one_line, lines)), msgspec.to_builtins(paper)


_ARTIFACTS: dict[str, Callable[[Path], Told]] = {
    "sparsam/generalization": _generalization,
    "sparsam/recoding": _recoding,
    "sparsam/questionnaire": _questionnaire,
    "sparsam/certificate": _certificate,
}


def _report(report: Mapping[str, Any]) -> Told:
    """Tell what a report that was saved as JSON is about; to read it, there is its page."""
    made, origin = _inside(report, "made"), _inside(report, "reproduce")
    told = {
        "title": report["title"],
        **{name: made.get(name) for name in ("date", "author", "purpose")},
        "input": _inside(origin, "input").get("name"),
        "command": origin.get("command"),
    }
    lines = [f"A report: {told['title']}", *_facts({k: v for k, v in told.items() if k != "title"})]
    return list(map(one_line, lines)), told


def _answers(answers: Mapping[str, Any]) -> Told:
    listed, given = _list(answers, "attributes"), len(_list(answers, "answers"))
    names = [str(attribute.get("name")) for attribute in listed if isinstance(attribute, dict)]
    told = {"how": answers["how"], "answers": given, "attributes": names}
    lines = [
        f"Answers of an exploration under a budget: {counted(given, 'answer')} about "
        f"{counted(len(names), 'attribute')}.",
        *_facts({"way": answers["how"], "attributes": names}),
    ]
    return list(map(one_line, lines)), told


def _inside(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """What stands there; nothing where a stranger wrote something else."""
    inside = document.get(name)
    return inside if isinstance(inside, dict) else {}


def _list(document: Mapping[str, Any], name: str) -> list[Any]:
    inside = document.get(name)
    return inside if isinstance(inside, list) else []


def _mask(file: Path) -> Told:
    from sparsam.individual import Mask

    mask = Mask.load(file)
    facts = {"attributes": list(mask.attributes), **mask.facts}
    people, wide = mask.shape
    kept = {"people": people, "values": people * wide, "kept": mask.n_kept}
    kept["missing"] = people * wide - mask.n_values
    origin = {"algorithm": mask.algorithm, "learner": mask.learner, "seed": mask.random_state}
    return [one_line(f"{mask}."), *_facts(facts)], {**kept, **origin, "about": facts}


def _roles(file: Path) -> Told:
    from sparsam.data import Roles

    roles = Roles.from_toml(file)
    told = {
        field.name: msgspec.to_builtins(getattr(roles, field.name))
        for field in fields(roles)
        if getattr(roles, field.name)
    }
    written = roles.to_toml().rstrip().splitlines()
    return ["Roles of the columns of a table:", "", *map(one_line, written)], told


def _hierarchy(file: Path) -> Told:
    from sparsam.generalization import Hierarchy

    hierarchy = Hierarchy.load(file)
    widths = [len({row[level] for row in hierarchy.rows if level < len(row)})
              for level in range(hierarchy.n_levels)]  # fmt: skip
    told = {"values": len(hierarchy.rows), "levels": widths}
    steps = ", then ".join(counted(width, "label") for width in widths[1:]) or "no coarser label"
    return [f"A hierarchy: {counted(len(hierarchy.rows), 'value')}, then {steps}."], told


def _table(file: Path, roles: Roles) -> Told:
    from sparsam.data import read

    table = read(file, roles=roles)
    rows: list[dict[str, Any]] = [
        {
            "attribute": attribute.name,
            "kind": attribute.kind,
            "values": attribute.n_values,
            "binned": attribute.binned,
            "missing": attribute.missing,
        }
        for attribute in table.attributes
    ]
    width = max(len(one_line(name)) for name in table.names)
    lines = [f"{counted(table.n_rows, 'record')}, {counted(len(rows), 'attribute')}"]
    for row in rows:
        missing = ", some missing" if row["missing"] else ""
        values = counted(row["values"], "bin" if row["binned"] else "value")
        lines.append(f"{one_line(row['attribute']):<{width}}  {row['kind']}, {values}{missing}")
    lines += [one_line(f"Note: {note}") for note in table.notes]
    return lines, {"rows": table.n_rows, "attributes": rows, "notes": list(table.notes)}


def _attributes(generalization: Generalization) -> list[dict[str, Any]]:
    special = _special(generalization.about)
    return [
        {
            "name": part.name,
            "collected": part.collected,
            "buckets": list(part.labels),
            **({"special": special[part.name]} if part.name in special else {}),
        }
        for part in generalization
    ]


def _collects(generalization: Generalization) -> Iterator[str]:
    """Return how much is collected, and what is declared to be of a special category."""
    total = counted(len(generalization), "attribute")
    yield f"Collects {len(generalization.collected)} of {total}."
    for name, category in _special(generalization.about).items():
        what = "not collected"
        if name not in generalization:
            what = "the target" if name == generalization.about.get("target") else "no attribute"
        elif generalization[name].collected:
            what = "collected"
        yield one_line(f"Special category (GDPR Art. 9): {name} ({category}), {what}.")


def _special(about: Mapping[str, Any]) -> dict[str, str]:
    """Return what is declared so; nothing of what a stranger wrote otherwise."""
    from sparsam.data import SPECIAL_CATEGORIES

    declared = _inside(_inside(about, "roles"), "attributes")
    found = {name: _inside(declared, name).get("special") for name in declared}
    return {
        name: SPECIAL_CATEGORIES.get(category, category)
        for name, category in found.items()
        if isinstance(category, str)
    }


def _facts(facts: Mapping[str, Any]) -> Iterator[str]:
    """Return what is known, one fact a line."""
    for name, value in facts.items():
        if name == "roles":
            yield from _said_of_the_table(parse_json(value) if isinstance(value, str) else value)
        elif name == "evidence" and isinstance(value, dict):
            yield one_line(_evidence(value))
        elif value not in (None, "", {}, []):
            yield one_line(f"{name.replace('_', ' ')}: {_in_words(value)}")


def _evidence(evidence: Mapping[str, Any]) -> str:
    """Return what an artifact carries of the people then, in short."""
    shares, promise = _inside(evidence, "shares"), _inside(evidence, "promise").get("words")
    told = f"evidence: shares of {evidence.get('people')} people over {len(shares)} attributes"
    return f"{told}, for `sparsam monitor`{f'; promised: {promise}' if promise else ''}"


def _said_of_the_table(roles: Any) -> Iterator[str]:
    """Return what an artifact carries of the roles, beside the target and what is personal."""
    sections = roles.items() if isinstance(roles, dict) else ()
    for section, told in sections:
        if section == "file":
            yield one_line(f"file: {_in_words(told)}")
            continue
        for name, value in told.items() if isinstance(told, dict) else ():
            if section != "roles" or name not in ("target", "targets", "personal"):
                shown = name if section == "attributes" else name.replace("_", " ")
                yield one_line(f"{shown}: {_in_words(value)}")


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        pairs = value.items()
        return ", ".join(f"{name.replace('_', ' ')} {_in_words(inner)}" for name, inner in pairs)
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
