"""Look at a table and propose what each of its columns is, for a person to decide."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sparsam._checks import check_names
from sparsam._errors import DataError
from sparsam._small_counts import SMALLEST_COUNT
from sparsam._writing import write_text
from sparsam.data._calendar import TextMoments, read_texts
from sparsam.data._coded import MOST_CODES, are_codes
from sparsam.data._factor import Factored, factorise, from_dictionary
from sparsam.data._near_identifiers import FEWEST_ROWS, is_numbering, nearly_unique
from sparsam.data._open import open_as
from sparsam.data._target import Target
from sparsam.data._task import LEAK, resolve
from sparsam.data.roles._column_names import (
    called_birth,
    called_identifier,
    called_name,
    called_place,
    called_weight,
    recognised_by,
    special_category,
    unit_of,
)
from sparsam.data.roles._roles import SPECIAL_CATEGORIES, Roles
from sparsam.data.roles._roles_file import toml_key, toml_value
from sparsam.data.source._number_forms import LEADING_ZERO
from sparsam.data.source._source import Source, check_distinct

Kind = Literal["numeric", "categorical", "ordered", "date", "time"]
Role = Literal["target", "identifier", "ignore", "quasi-identifier", "attribute"]

# Texts that mean missing wherever they stand; and those that do so among numbers.
_MISSING = {"?", "na", "n/a", "#n/a", "n.a.", "nan", "null", "#null!", "missing", "(missing)"}
_MISSING_AMONG_NUMBERS = _MISSING | {
    *("", "n", "x", "-", "--", ".", "..", "*", "none", "nil", "unknown", "unk", "not available"),
    *("not applicable", "refused", "dk", "don't know", "no answer", "unbekannt", "keine angabe"),
}
_BELOW_ZERO = {-1, -2, -3, -7, -8, -9, -77, -88, -98, -99, -999, -9999, -99999}
_APART = re.compile(r"9{2,}")
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*")
_AND_MORE = re.compile(r"(?i).*(\b(more|over|older|above|up)\b|\+\s*$|^\s*>)")
_AND_LESS = re.compile(r"(?i).*(\b(less|under|younger|below|fewer)\b|^\s*<)")
# Of a column of numbers, at least so many rows must be numbers, and at most so many texts are not.
_MOSTLY = 0.5
_MOST_TEXTS = 5
_MOST_LISTED = 200


@dataclass(frozen=True)
class ColumnProposal:
    """What one column looks like, and why.

    Attributes
    ----------
    name : str
    kind : {"numeric", "categorical", "ordered", "date", "time"} or None
        None for a column that is not to be read.
    role : {"target", "identifier", "ignore", "quasi-identifier", "attribute"}
    unit : str or None
    missing : tuple of str
        Texts that look like missing: those of a list of ours, and those that many people have.
    why : str
        The reason for kind and role.
    remarks : tuple of str
        What else there is to decide.
    categories : tuple of str
        Those of an ordered column, from least to most: each is one that many people have.
    """

    name: str
    kind: Kind | None
    role: Role
    unit: str | None = None
    missing: tuple[str, ...] = ()
    why: str = ""
    remarks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the proposal as plain data."""
        return {
            "column": self.name,
            "kind": self.kind,
            "role": self.role,
            "unit": self.unit,
            "missing": list(self.missing),
            "why": self.why,
            "remarks": list(self.remarks),
            "categories": list(self.categories),
        }


@dataclass(frozen=True)
class ProposedRoles:
    """What the columns of a table look like: proposed, never decided.

    `propose_roles` makes it.

    Attributes
    ----------
    columns : tuple of ColumnProposal
        One for each column, in the order of the table.
    roles : Roles
        The same as roles, to go on with.
    source : str
        What the table is called.
    """

    columns: tuple[ColumnProposal, ...]
    roles: Roles
    source: str = "the table"

    def to_toml(self) -> str:
        """Write a roles file in which every line says why, to be edited by a person."""
        return "\n".join([*_head(self), "", *_attributes(self)]).rstrip("\n") + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the roles file, whole or not at all."""
        write_text(Path(path), self.to_toml())

    def to_dict(self) -> dict[str, Any]:
        """Return the proposals as plain data."""
        return {"columns": [column.to_dict() for column in self.columns]}

    def __repr__(self) -> str:
        return f"ProposedRoles({len(self.columns)} columns of {self.source})"


def propose_roles(source: Any, target: str | None = None) -> ProposedRoles:
    """Propose for every column of a table its kind, role, unit and missing texts, and say why.

    Names and values are looked at. Nothing is decided: the roles are there to be edited, and no
    value is told that fewer than five people have.

    Parameters
    ----------
    source : path, frame, mapping, ndarray or Table
        See `read`.
    target : str, optional
        What is to be predicted: a column or an expression. Columns that alone tell it almost as
        well as all do are pointed out.

    Returns
    -------
    ProposedRoles
        With `roles`, `columns`, `to_toml()` and `save(path)`.

    Examples
    --------
    >>> people = {"sex": [1, 2] * 30, "nr": range(60), "age": [30, 50] * 30, "ill": [0, 1] * 30}
    >>> for column in propose_roles(people, "ill").columns:
    ...     print(column.name, column.role, column.kind)
    sex quasi-identifier categorical
    nr identifier None
    age quasi-identifier numeric
    ill target categorical
    """
    opened = open_as(source, Roles())
    check_distinct(opened.names)
    goal = None if target is None else _goal(target, opened.names)
    columns = tuple(_proposal(opened, name, goal) for name in opened.names)
    roles = replace(_roles(columns, target), file=opened.written())
    columns = _with_leaks(opened, columns, roles)
    origin = opened.origin
    called = Path(origin).name if isinstance(origin, str | os.PathLike) else "the table"
    return ProposedRoles(columns, roles, called)


def _goal(target: str, names: tuple[str, ...]) -> Target:
    goal = Target(target) if target in names else Target.parse(target)
    check_names([goal.column], names, "target")
    return goal


def _proposal(source: Source, name: str, goal: Target | None) -> ColumnProposal:
    factored, endless = _factored(source, name)
    special = special_category(name)
    remarks = () if special is None else (_possibly(special),)
    if endless:
        remarks = (*remarks, "some numbers are infinite: do they mean missing, or how much?")
    if goal is not None and goal.column == name:
        proposal = _target(name, factored, goal, remarks)
    else:
        proposal = _unused(name, factored) or _used(name, factored)
        if proposal.role in ("identifier", "ignore"):
            return proposal
        proposal = replace(proposal, remarks=(*remarks, *proposal.remarks))
    return replace(proposal, missing=(*proposal.missing, *endless))


def _possibly(special: str) -> str:
    return f"possible special category ({SPECIAL_CATEGORIES[special]}): you decide"


def _factored(source: Source, name: str) -> tuple[Factored, tuple[str, ...]]:
    """The values of a column, and texts of those that are infinite, which are taken as missing."""
    column = source.column(name)
    values, endless = column.values, np.empty(0)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and np.isinf(values).any():
        endless = np.unique(values[np.isinf(values)])
        values = np.where(np.isinf(values), np.nan, values)
    factored = factorise(name, values, as_text=True)
    if column.positions is not None:
        factored = from_dictionary(factored, column.positions)
    return factored, tuple(str(float(number)) for number in endless)


def _target(
    name: str, factored: Factored, goal: Target, remarks: tuple[str, ...]
) -> ColumnProposal:
    gone = _missing_texts(factored)
    numbers = _numbers(factored, gone)
    kind: Kind = "categorical" if numbers is None else "numeric"
    if numbers is not None and not goal.edges and len(numbers.values) <= MOST_CODES:
        kind = "categorical"
    moments = _moments(factored, gone)
    if goal.edges and isinstance(moments, TextMoments):
        kind = moments.unit
    why = "what is to be predicted, as given"
    if factored.has_missing or gone:
        remarks = (
            *remarks,
            "rows without it: drop_missing_target = true in [roles] leaves them out",
        )
    return ColumnProposal(name, kind, "target", None, gone, why, remarks)


def _unused(name: str, factored: Factored) -> ColumnProposal | None:
    """A column that is not to be read at all, or None."""
    counts = factored.counts()
    if factored.kind == "empty":
        return ColumnProposal(name, None, "ignore", why="has no values at all")
    if len(counts) == 1 and not factored.has_missing:
        return ColumnProposal(name, None, "ignore", why="the same in every row")
    if called_weight(name) and factored.kind == "number":
        return ColumnProposal(
            name, None, "ignore", why="by its name a weight of the sample, which describes nobody"
        )
    if is_numbering(name, factored):
        why = "whole numbers, another one in nearly every row: they number people or rows"
        return ColumnProposal(name, None, "identifier", why=why)
    # where most cells are dates or numbers, that rows differ says little
    if factored.kind == "text" and nearly_unique(counts) and _kind_of_texts(factored) is None:
        return ColumnProposal(
            name, None, "identifier", why="nearly every row has a value of its own"
        )
    many = len(counts) > FEWEST_ROWS
    if many and called_identifier(name):
        return ColumnProposal(name, None, "identifier", why="by its name it tells who somebody is")
    if many and factored.kind == "text" and called_name(name):
        return ColumnProposal(name, None, "identifier", why="by its name it tells who somebody is")
    return None


def _kind_of_texts(factored: Factored) -> Kind | None:
    """Dates or numbers, where the texts are these but for some that mean missing."""
    gone = _missing_texts(factored)
    if _numbers(factored, gone) is not None:
        return "numeric"
    return "date" if _moments(factored, gone) is not None else None


def _used(name: str, factored: Factored) -> ColumnProposal:
    role: Role = "quasi-identifier" if recognised_by(name) else "attribute"
    known = "; others may know it of a person" if role == "quasi-identifier" else ""
    if order := _open_ended(factored):
        why = f"numbers, and a text for those beyond them{known}"
        return ColumnProposal(name, "ordered", role, why=why, categories=order)
    gone = _missing_texts(factored)
    numbers = _numbers(factored, gone)
    if numbers is not None:
        return _number(name, numbers, role, gone, known)
    moments = _moments(factored, gone)
    if moments is not None:
        return _moment(name, moments, gone, role, known)
    counted = "truth values" if factored.kind == "bool" else f"{len(factored.values):,} texts"
    if called_place(name):
        counted += ", by its name a place"
    remarks: tuple[str, ...] = ()
    if factored.kind == "text" and _mostly_numbers(factored):
        remarks = (
            "mostly numbers, and texts that are too rare to be named here, or too many: if they "
            'mean missing, name them under missing, with kind = "numeric"',
        )
    return ColumnProposal(name, "categorical", role, None, gone, f"{counted}{known}", remarks)


def _moment(
    name: str, moments: TextMoments | str, gone: tuple[str, ...], role: Role, known: str
) -> ColumnProposal:
    if isinstance(moments, str):
        why = f"dates, but day and month could be either way round{known}"
        remark = 'to read it as dates, say under [file]: date_order = "day/month/year" or the other'
        return ColumnProposal(name, "categorical", role, None, gone, why, (remark,))
    kind: Kind = "time" if moments.unit == "time" else "date"
    remarks: tuple[str, ...] = ()
    if kind == "date" and called_birth(name):
        remarks = ('to use the age in years instead: age_on = "2024-12-31" and the like',)
    why = f"{'times of day' if kind == 'time' else 'dates'}, {moments.written}{known}"
    return ColumnProposal(name, kind, role, None, gone, why, remarks)


def _number(
    name: str, numbers: Factored, role: Role, gone: tuple[str, ...], known: str
) -> ColumnProposal:
    below, apart = _stand_for_missing(numbers)
    if below:
        gone = (*gone, *below)
        numbers = _without(numbers, {float(text) for text in below})
    values = numbers.values
    whole = values.dtype.kind == "i"
    remarks = tuple(
        f'{text} stands apart from all others: if it means missing, add missing = ["{text}"]'
        for text in apart
    )
    words = f"{len(values):,} different {'whole numbers' if whole else 'numbers'}"
    if whole and are_codes(name, values, numbers.counts()):
        few = "only " if len(values) <= MOST_CODES else ""
        why = f"{few}{words}, which look like codes (else numeric){known}"
        return ColumnProposal(name, "categorical", role, None, gone, why, remarks)
    return ColumnProposal(name, "numeric", role, unit_of(name), gone, f"{words}{known}", remarks)


def _missing_texts(factored: Factored) -> tuple[str, ...]:
    """The texts of a column that look like missing.

    Among numbers these are all other texts, if they are few and have each at least five rows, or
    are of a list of ours; among texts those of a shorter list.
    """
    if factored.kind != "text":
        return ()
    numbers, others = _told_apart(factored)
    if numbers < _MOSTLY * int(factored.counts().sum()) or not others:
        texts = [text for text in factored.values.tolist() if text.strip().lower() in _MISSING]
        return tuple(texts)
    if len(others) > _MOST_TEXTS:
        return ()
    told = [
        text
        for text, count in others.items()
        if text.strip().lower() in _MISSING_AMONG_NUMBERS
        or (count >= SMALLEST_COUNT and not (_AND_MORE.match(text) or _AND_LESS.match(text)))
    ]
    return tuple(told) if len(told) == len(others) else ()


def _open_ended(factored: Factored) -> tuple[str, ...]:
    """The values in order where texts such as "89 OR OLDER" stand beside numbers, else nothing.

    As all of them are told, each must be one that many people have; unless the text itself says
    which whole numbers there can be.
    """
    if factored.kind != "text":
        return ()
    numbers, others = _told_apart(factored)
    if others and min(others.values()) < SMALLEST_COUNT:
        return ()
    less = [text for text in others if _AND_LESS.match(text)]
    more = [text for text in others if _AND_MORE.match(text) and text not in less]
    if not numbers or not others or len(less) > 1 or len(more) > 1:
        return ()
    if len(others) > len(less) + len(more):
        return ()
    between = [text for text in factored.values.tolist() if text not in others]
    if more and not less and (listed := _up_to(more[0], between)):
        return listed
    if int(factored.counts().min()) < SMALLEST_COUNT:
        return ()
    return (*less, *sorted(between, key=float), *more)


def _up_to(more: str, between: Sequence[str]) -> tuple[str, ...]:
    """All whole numbers below the one in a text such as "89 or older", and that text."""
    found = re.findall(r"\d+", more)
    if len(found) != 1 or int(found[0]) > _MOST_LISTED:
        return ()
    listed = [str(number) for number in range(int(found[0]))]
    return (*listed, more) if set(between) <= set(listed) else ()


def _told_apart(factored: Factored) -> tuple[int, dict[str, int]]:
    """How many rows hold numbers, and the other texts with the rows of each."""
    texts, counts = factored.values.tolist(), factored.counts().tolist()
    others = {t: n for t, n in zip(texts, counts, strict=True) if not _NUMBER.fullmatch(t)}
    return sum(counts) - sum(others.values()), others


def _mostly_numbers(factored: Factored) -> bool:
    """Whether most rows hold numbers that are no codes, and others texts."""
    numbers, _ = _told_apart(factored)
    codes = any(map(LEADING_ZERO.fullmatch, factored.values.tolist()))
    return not codes and 2 * numbers > int(factored.counts().sum())


def _numbers(factored: Factored, gone: Collection[str]) -> Factored | None:
    """The column as numbers, without what means missing; None where it holds anything else.

    A leading zero marks a code, which is a text.
    """
    if factored.kind == "number":
        return factored
    if factored.kind != "text":
        return None
    texts = [text for text in factored.values.tolist() if text not in gone]
    if (
        not texts
        or not all(map(_NUMBER.fullmatch, texts))
        or any(map(LEADING_ZERO.fullmatch, texts))
    ):
        return None
    numbers = [float(text) if text not in gone else np.nan for text in factored.values.tolist()]
    return from_dictionary(factorise("", np.array(numbers)), factored.codes)


def _without(numbers: Factored, gone: Collection[float]) -> Factored:
    values = numbers.values.astype(np.float64)
    values[np.isin(values, list(gone))] = np.nan
    return from_dictionary(factorise("", values), numbers.codes)


def _stand_for_missing(numbers: Factored) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Numbers that look like missing: the only ones below zero; and one of nines, far above."""
    values, counts = numbers.values, numbers.counts()
    if values.dtype.kind != "i" or len(values) < 3:
        return (), ()
    below = values[values < 0].tolist()
    enough = all(count >= SMALLEST_COUNT for count in counts[values < 0].tolist())
    told = tuple(map(str, below)) if below and enough and set(below) <= _BELOW_ZERO else ()
    highest, next_one = int(values[-1]), int(values[-2])
    far = bool(_APART.fullmatch(str(highest))) and highest > 2 * max(next_one, 1)
    return told, (str(highest),) if far and counts[-1] >= SMALLEST_COUNT else ()


def _moments(factored: Factored, gone: Collection[str]) -> TextMoments | str | None:
    """Dates or times of day, AMBIGUOUS where day and month cannot be told apart, or nothing."""
    if factored.kind != "text":
        return None
    texts = [text for text in factored.values.tolist() if text not in gone]
    return read_texts(texts) if texts else None


def _roles(columns: Sequence[ColumnProposal], target: str | None) -> Roles:
    used = [column for column in columns if column.role in ("quasi-identifier", "attribute")]
    grouped = ("categorical", "ordered")
    personal = [c.name for c in used if c.kind in grouped or c.role == "quasi-identifier"]

    def of_kind(*kinds: Kind) -> list[str]:
        return [column.name for column in columns if column.kind in kinds]

    return Roles(
        target,
        personal=personal or "categorical",
        quasi_identifiers=[c.name for c in columns if c.role == "quasi-identifier"],
        identifiers=[c.name for c in columns if c.role == "identifier"],
        ignore=[c.name for c in columns if c.role == "ignore"],
        numeric=of_kind("numeric"),
        categorical=of_kind("categorical"),
        dates=of_kind("date", "time"),
        ordered={c.name: c.categories for c in columns if c.categories},
        missing_in={c.name: c.missing for c in columns if c.missing},
        units={c.name: c.unit for c in columns if c.unit is not None},
    )


def _with_leaks(
    source: Source, columns: tuple[ColumnProposal, ...], roles: Roles
) -> tuple[ColumnProposal, ...]:
    """Point out columns that alone tell the target almost as well as all do."""
    if roles.target is None:
        return columns
    try:
        task = resolve(source, replace(roles, drop_missing_target=True), look_for_leaks=True)
    except DataError:
        return columns  # what the target lacks is said where it is used
    remark = f"{LEAK}: if it is a leak, put it under ignore"
    leaking = {note.partition(f": {LEAK}")[0] for note in task.table.notes if LEAK in note}
    return tuple(
        replace(column, remarks=(*column.remarks, remark)) if column.name in leaking else column
        for column in columns
    )


_WIDTH = 34
_INTRODUCTION = """\
# What each column of {source} is and is for, as far as names and values tell.
# Proposed, not decided: read every line, change what is wrong, then hand the file over:
#   sparsam minimise {source} --roles THIS_FILE -o people.json
# For sparsam explore, add low and high, or categories, from what is known without looking.
"""


def _head(proposed: ProposedRoles) -> list[str]:
    roles = proposed.roles
    why = {column.name: column.why for column in proposed.columns}
    target = "# target =" if roles.target is None else f"target = {toml_value(roles.target)}"
    lines = [*_INTRODUCTION.format(source=" ".join(proposed.source.split())).splitlines(), ""]
    lines += ["[roles]", _commented(target, "what the model predicts")]
    if isinstance(roles.personal, str):
        lines.append(_commented(f'personal = "{roles.personal}"', "what to protect"))
    else:
        lines += _listed("personal", "what to protect", dict.fromkeys(roles.personal, ""))
    recognised = dict.fromkeys(roles.quasi_identifiers, "others may know it")
    lines += _listed("quasi_identifiers", "by which people could be recognised", recognised)
    for name, what in (
        ("identifiers", "who somebody is: never read"),
        ("ignore", "not used and not collected"),
    ):
        lines += _listed(name, what, {column: why[column] for column in getattr(roles, name)})
    lines.append(_commented("# sensitive = []", "what others must not learn: you decide"))
    lines.append(_commented("# missing_values = []", "texts that mean missing in every column"))
    lines.append(_commented("# drop_missing_target = true", "leaves out rows without a target"))
    file = {fact: value for fact, value in asdict(roles.file).items() if value is not None}
    if file:
        lines += ["", _commented("[file]", "how the file is written: said, or found out")]
        lines += [f"{fact} = {toml_value(value)}" for fact, value in file.items()]
    return lines


def _attributes(proposed: ProposedRoles) -> Iterable[str]:
    for column in proposed.columns:
        if column.kind is None:
            continue
        yield f"[attributes.{toml_key(column.name)}]"
        yield _commented(f'kind = "{column.kind}"', column.why)
        if column.categories:
            yield _commented(f"categories = {toml_value(column.categories)}", "least to most")
        if column.unit is not None:
            yield _commented(f"unit = {toml_value(column.unit)}", "by its name")
        if column.missing:
            listed = f"missing = {toml_value(column.missing)}"
            yield _commented(listed, "looks like missing")
        special = special_category(column.name)
        for remark in column.remarks:
            if special is not None and remark == _possibly(special):
                yield _commented(f'# special = "{special}"', remark)
            else:
                yield _one_line(f"# {remark}")
        yield ""


def _listed(name: str, what: str, items: Mapping[str, str]) -> list[str]:
    if not items:
        return [_commented(f"# {name} = []", what)]
    inside = [_commented(f"    {toml_value(item)},", why) for item, why in items.items()]
    return [_commented(f"{name} = [", what), *inside, "]"]


def _commented(line: str, why: str) -> str:
    return f"{line:<{_WIDTH}}  # {_one_line(why)}" if why else line


def _one_line(text: str) -> str:
    """A comment ends with its line; whatever a name holds must not begin another one."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
