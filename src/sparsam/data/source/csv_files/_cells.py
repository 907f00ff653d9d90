"""How the cells of each column of a CSV file are read: as numbers, truth values or texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sparsam.data.source._engine import Engine, Wording, listed
from sparsam.data.source._format import FileFormat
from sparsam.data.source._number_forms import (
    PLAIN,
    Evidence,
    NumberForm,
    base_form,
    chosen_form,
    evidence,
    evidence_sql,
    other_forms,
    remark_on,
    sql_text,
    worth_a_look,
)
from sparsam.data.source.csv_files._header import Header

# How many cells are looked at before all of them are, and for remarks.
_SAMPLE = 1000


@dataclass(frozen=True)
class Cell:
    """How the cells of a column are read.

    Attributes
    ----------
    sql : str
        An expression over the table t.
    kind : str
        The type that it gives.
    remark : str
        What was guessed, or might be meant otherwise.
    form : NumberForm or None
        How its numbers are written.
    """

    sql: str
    kind: str = "VARCHAR"
    remark: str = ""
    form: NumberForm | None = None


class CsvCells:
    """How every column of a CSV file is read, found from all of its values.

    Parameters
    ----------
    engine : Engine
        Its table t is the file, as texts.
    header : Header
    form : FileFormat
        What is known of how the file is written.
    wording : callable
        See `worded`.
    """

    def __init__(self, engine: Engine, header: Header, form: FileFormat, wording: Wording) -> None:
        self._engine, self._header, self._said, self._wording = engine, header, form, wording
        self._asked: Counter[frozenset[str]] = Counter()
        self._found: dict[tuple[int, frozenset[str]], Cell] = {}
        self._proofs: tuple[bool, bool] | None = None

    def as_text(self, place: int, missing: frozenset[str]) -> Cell:
        """Return how a column is read that stays text."""
        return Cell(_text(place, missing))

    def after(self, place: int, most: int) -> list[str]:
        """Return the SQL of the next columns, as far as they were looked at."""
        later = (cell.sql for (p, _), cell in self._found.items() if p > place)
        return list(islice(later, most))

    def written(self) -> FileFormat:
        """Return how numbers are written, where that holds for all that were looked at."""
        forms = {cell.form for cell in self._found.values() if cell.form is not None} - {PLAIN}
        groups = {form.thousands for form in forms} - {""}
        return FileFormat(
            decimal="," if {form.decimal for form in forms} == {","} else None,
            thousands=groups.pop() if len(groups) == 1 else None,
        )

    def find(self, place: int, missing: frozenset[str]) -> Cell:
        """Return how a column is read.

        Parameters
        ----------
        place : int
            Of the column.
        missing : frozenset of str
            Texts that mean missing in it.
        """
        if (place, missing) not in self._found:
            self._asked[missing] += 1
            # marks for missing values that are asked for again are those of all columns
            alone = self._asked[missing] == 1 and len(self._asked) > 1
            places = [place] if alone else range(len(self._header.names))
            wanted = [p for p in places if (p, missing) not in self._found]
            self._found |= {(p, missing): cell for p, cell in self._find(wanted, missing).items()}
        return self._found[place, missing]

    def _find(self, places: Sequence[int], missing: frozenset[str]) -> dict[int, Cell]:
        base, cells = base_form(self._said), {p: _text(p, missing) for p in places}
        whole = self._all(cells, lambda cell: f"regexp_full_match({cell}, {sql_text(base.whole)})")
        rest = {place: cell for place, cell in cells.items() if place not in whole}
        number = self._all(rest, lambda cell: f"regexp_full_match({cell}, {sql_text(base.number)})")
        rest = {place: cell for place, cell in rest.items() if place not in number}
        truth = self._all(rest, lambda cell: f"lower(trim({cell})) IN ('true', 'false')")
        found: dict[int, Cell] = {}
        for place, cell in cells.items():
            found[place] = Cell(cell)
            if place in whole or place in number:
                found[place] = _number_cell(cell, base, place in whole)
            elif place in truth:
                found[place] = Cell(f"CAST(trim({cell}) AS BOOLEAN)", "BOOLEAN")
        return found | self._find_forms(found, cells)

    def _all(self, cells: Mapping[int, str], condition: Callable[[str], str]) -> set[int]:
        """Return the places of the columns of which every cell fulfils a condition.

        The first rows are asked before all are: a large file is parsed again for each look at it.
        """
        rows = f"(SELECT {', '.join(f'c{place}' for place in cells)} FROM t LIMIT {_SAMPLE})"
        maybe = {p: cells[p] for p, fits in self._fit(cells, condition, rows) if fits is not False}
        return {place for place, fits in self._fit(maybe, condition, "t") if fits}

    def _fit(
        self, cells: Mapping[int, str], condition: Callable[[str], str], rows: str
    ) -> list[tuple[int, bool | None]]:
        """Return of each column whether every cell fulfils a condition; None where no cell is."""
        if not cells:
            return []
        asked = ", ".join(f"bool_and({condition(cell)})" for cell in cells.values())
        answers = self._engine.rows(f"SELECT {asked} FROM {rows}", [], self._wording)[0]
        return list(zip(cells, answers, strict=True))

    def _find_forms(self, found: Mapping[int, Cell], cells: Mapping[int, str]) -> dict[int, Cell]:
        """Find the columns whose numbers are not written as everybody writes them."""
        texts = [place for place in found if found[place].kind == "VARCHAR"]
        samples = self._samples({place: cells[place] for place in texts})
        forms = other_forms(self._said)
        looked = [p for p in texts if samples[p] and worth_a_look(samples[p])] if forms else []
        evidence_of = self._evidence(looked, cells, forms)
        decimals = [place for place in found if found[place].kind == "DOUBLE"]
        if any(known.fits for known in evidence_of.values()) and self._said.decimal is None:
            evidence_of |= self._evidence(decimals, cells, forms)
        if self._proofs is None:
            told = evidence_of.items()
            point = [known.point and (known.fits or p in decimals) for p, known in told]
            self._proofs = any(known.comma and known.fits for _, known in told), any(point)
        others: dict[int, Cell] = {}
        for place, known in evidence_of.items():
            form = self._form(known, plain=place in decimals)
            if form is not None:
                others[place] = self._formed(cells[place], form)
        for place in texts:
            if place not in others:
                is_open = place in evidence_of and bool(evidence_of[place].fits)
                remark = remark_on(samples[place], is_open)
                others[place] = replace(found[place], remark=remark)
        return others

    def _form(self, known: Evidence, *, plain: bool) -> NumberForm | None:
        """Decide how the numbers of a column are written, which may be read as everybody's."""
        proofs = self._proofs or (False, False)
        if not plain:
            return chosen_form(known, proofs, self._header.delimiter, self._said)
        # "1.234" in a file with decimal commas has a point between thousands
        grouped = NumberForm(",", ".")
        found = known.dotted and grouped in known.fits
        return grouped if proofs == (True, False) and found else None

    def _formed(self, cell: str, form: NumberForm) -> Cell:
        query = f"SELECT bool_and(regexp_full_match({cell}, {sql_text(form.whole)})) FROM t"
        whole = bool(self._engine.rows(query, [], self._wording)[0][0])
        said = (self._said.decimal is not None) and (self._said.thousands is not None)
        remark = "" if said else f"{form.in_words()}; if not, say so with --decimal or --thousands"
        return replace(_number_cell(cell, form, whole), remark=remark)

    def _evidence(
        self, places: Sequence[int], cells: Mapping[int, str], forms: Sequence[NumberForm]
    ) -> dict[int, Evidence]:
        if not places:
            return {}
        asked = ", ".join(evidence_sql(cells[place], forms) for place in places)
        answers = self._engine.rows(f"SELECT {asked} FROM t", [], self._wording)[0]
        width = len(forms) + 4
        return {
            place: evidence(answers[i * width : (i + 1) * width], forms)
            for i, place in enumerate(places)
        }

    def _samples(self, cells: Mapping[int, str]) -> dict[int, list[str]]:
        """Return some texts of each column: of the first rows, or else the first there are."""
        if not cells:
            return {}
        query = f"SELECT {', '.join(cells.values())} FROM t LIMIT {_SAMPLE}"
        rows = self._engine.rows(query, [], self._wording)
        samples = {
            place: [row[i] for row in rows if row[i] is not None] for i, place in enumerate(cells)
        }
        for place in (place for place, texts in samples.items() if not texts):
            query = f"SELECT {cells[place]} FROM t WHERE {cells[place]} IS NOT NULL LIMIT {_SAMPLE}"
            samples[place] = [text for (text,) in self._engine.rows(query, [], self._wording)]
        return samples


def _number_cell(cell: str, form: NumberForm, whole: bool) -> Cell:
    kind = "BIGINT" if whole else "DOUBLE"
    return Cell(f"CAST({form.plain(cell)} AS {kind})", kind, form=form)


def _text(place: int, missing: Collection[str]) -> str:
    """Return the SQL of a cell in a CSV file, which is null where its text means missing."""
    cell = f"c{place}"
    if not missing:
        return cell
    return f"CASE WHEN {cell} IN ({listed(missing)}) THEN NULL ELSE {cell} END"
