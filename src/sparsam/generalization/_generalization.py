"""The artifact that every minimiser returns, every adversary attacks and every exporter writes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Protocol

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._artifact import Artifact
from sparsam._documents import as_written, check_plain
from sparsam._errors import DocumentError, ParameterError
from sparsam._joined import supplied
from sparsam._printable import one_line
from sparsam.data import Table
from sparsam.generalization import _algebra
from sparsam.generalization._apply import RecordPlan, apply, check_columns
from sparsam.generalization._information_loss import InformationLoss, information_loss
from sparsam.generalization._partition import (
    Partition,
    finest,
    nothing,
)
from sparsam.generalization._partition_base import BETWEEN, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT: Final = "sparsam/generalization"
VERSION: Final = 1


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One partition per attribute, as saved by sparsam.

    Parameters
    ----------
    format, version
        What the document is.
    attributes : tuple of Partition
    about : dict
        Plain facts: who made it, from what, with which seed.
    """

    format: Literal["sparsam/generalization"]
    version: Literal[1]
    attributes: Annotated[tuple[Partition, ...], Meta(min_length=1)]
    about: dict[str, Any] = {}


def check_names_once(partitions: tuple[Partition, ...], path: str = "$") -> None:
    """Raise for an attribute that occurs twice in a document."""
    seen = set[str]()
    for i, partition in enumerate(partitions):
        if partition.name in seen:
            msg = f"Every attribute must occur once. '{partition.name}' came before."
            raise DocumentError(msg, f"{path}.attributes[{i}].name")
        seen.add(partition.name)


Output = Literal["labels", "codes"]


class SavedPage(Protocol):
    """What a page can do, whoever writes it."""

    html: str
    content_security_policy: str

    def save(self, path: Any) -> None: ...


class Generalization(Artifact):
    """What is collected of each attribute, and nothing finer than that.

    One partition per attribute: global, single-dimensional and strict (Staab et al. 2024, §4). An
    attribute with one bucket need not be collected. Immutable; two generalizations are equal when
    their documents are.

    Parameters
    ----------
    partitions : iterable of Partition
        One per attribute, each name once.
    about : mapping, default={}
        Plain JSON facts: who made it, with which parameters and seed, from which table.

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])
    >>> g = Generalization([age])
    >>> g.apply_record({"age": 40})
    {'age': '17–61'}
    >>> Generalization.from_json(g.to_json()) == g
    True
    """

    _format = FORMAT
    _called = "generalization"
    _title = "A generalization"
    _structures = (Document,)

    _partitions: tuple[Partition, ...]
    _about: bytes

    def __init__(
        self, partitions: Iterable[Partition], about: Mapping[str, Any] | None = None
    ) -> None:
        kept = tuple(partitions)
        names = [partition.name for partition in kept]
        if not kept:
            raise ParameterError("A generalization must have at least one attribute. Got none.")
        if len(set(names)) != len(names):
            twice = sorted(name for name, times in Counter(names).items() if times > 1)
            raise ParameterError(f"Every attribute must occur once. Got {twice} more than once.")
        object.__setattr__(self, "_partitions", kept)
        object.__setattr__(self, "_about", _facts(about or {}))

    def __setattr__(self, name: str, value: object) -> None:
        msg = "A generalization is immutable. Make another one instead."
        raise AttributeError(msg)

    @classmethod
    def identity(cls, table: Table) -> Generalization:
        """Collect everything: one bucket for each code of the table."""
        partitions = [finest(attribute) for attribute in table.attributes]
        return cls(partitions, {"learned_from_rows": table.n_rows})

    @classmethod
    def nothing(cls, table: Table) -> Generalization:
        """Collect nothing: one bucket for each attribute."""
        return cls(nothing(attribute) for attribute in table.attributes)

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partition of every attribute."""
        return self._partitions

    @property
    def about(self) -> dict[str, Any]:
        """Plain facts about where the generalization comes from (a copy)."""
        facts: dict[str, Any] = msgspec.json.decode(self._about)
        return facts

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(partition.name for partition in self._partitions)

    @cached_property
    def collected(self) -> tuple[str, ...]:
        """The attributes that have more than one bucket."""
        return tuple(partition.name for partition in self._partitions if partition.collected)

    @cached_property
    def n_buckets(self) -> int:
        """How many buckets there are over all attributes."""
        return sum(partition.n_buckets for partition in self._partitions)

    @cached_property
    def _by_name(self) -> dict[str, Partition]:
        return {partition.name: partition for partition in self._partitions}

    def __getitem__(self, name: str) -> Partition:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Partition]:
        return iter(self._partitions)

    def __len__(self) -> int:
        return len(self._partitions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Generalization):
            return NotImplemented
        return self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __reduce__(self) -> tuple[Any, ...]:
        return Generalization, (self._partitions, self.about)

    def with_about(self, about: Mapping[str, Any]) -> Generalization:
        """Return the same partitions with other facts."""
        return Generalization(self._partitions, about)

    def apply(
        self, frame: Any, *, keep: str | Iterable[str] = (), output: Output = "labels"
    ) -> Any:
        """Generalise a table: only the collected attributes come out, in buckets.

        Parameters
        ----------
        frame : pandas, polars or pyarrow frame, DuckDB relation, mapping of arrays, or Table
            The same type comes out (a dict for a Table); pandas keeps its index. A lazy frame stays
            lazy, except that values without a bucket are counted first where a policy says "error".
        keep : str or iterable of str, default=()
            Other columns to pass through as they are, such as the target.
        output : {"labels", "codes"}, default="labels"
            Words (as a categorical column where the library has one), or bucket numbers.

        Returns
        -------
        frame

        Raises
        ------
        DataError
            A column is absent, has the wrong type, or holds values without a bucket.
        """
        return apply(self, frame, keep, output)

    @cached_property
    def _record_plan(self) -> RecordPlan:
        return RecordPlan(self._partitions)

    def apply_record(self, record: Mapping[str, Any], output: Output = "labels") -> dict[str, Any]:
        """Generalise one person's record, in microseconds.

        Parameters
        ----------
        record : mapping
            Must have every collected attribute; None is a missing value.
        output : {"labels", "codes"}, default="labels"

        Returns
        -------
        dict
            The collected attributes only.
        """
        return self._record_plan.apply(record, output)

    def apply_codes(self, table: Table) -> NDArray[np.uint16]:
        """Generalise an encoded table; an attribute that is not collected is bucket 0 throughout.

        Parameters
        ----------
        table : Table
            Must have every collected attribute.

        Returns
        -------
        ndarray of uint16, shape (n_rows, n_attributes), Fortran order
        """
        check_columns(table.names, self.collected)
        out = np.zeros((table.n_rows, len(self)), np.uint16, order="F")
        for column, partition in enumerate(self._partitions):
            if partition.collected:
                lookup = partition.lookup(table.attribute(partition.name))
                np.take(lookup, table.column(partition.name), out=out[:, column])
        return out

    def refines(self, other: Generalization) -> bool:
        """Return whether this generalization is at least as fine as another in every attribute.

        A partition is a partition of the values that it accepts: every bucket of this one must
        lie inside one of the other's.

        Parameters
        ----------
        other : Generalization
            With the same attributes and domains.
        """
        return all(_algebra.refines(a, b) for a, b in _algebra.pairs(self, other))

    def merge(self, other: Generalization) -> Generalization:
        """Find the finest generalization that both refine: what both agree to tell apart.

        Numbers keep the cuts that both have, categories the connected components of the groups. A
        missing, unseen or far-out value is refused where both refuse it, has a bucket of its own
        where neither shares one, and otherwise joins the buckets that it shares.
        """
        partitions = (_algebra.merge(a, b) for a, b in _algebra.pairs(self, other))
        return Generalization(partitions, joined_about(self, other))

    def intersect(self, other: Generalization) -> Generalization:
        """Find the coarsest generalization that refines both: what two breaches reveal together.

        A missing, unseen or far-out value is refused where either refuses it.
        """
        partitions = (_algebra.intersect(a, b) for a, b in _algebra.pairs(self, other))
        return Generalization(partitions, joined_about(self, other))

    def diff(self, other: Generalization) -> list[dict[str, Any]]:
        """List the attributes that another generalization treats otherwise.

        Parameters
        ----------
        other : Generalization

        Returns
        -------
        list of dict
            ``attribute``, ``relation`` (how the other one is: "finer", "coarser", "different",
            "other policy" or "renamed"), and ``before`` and ``after``, each with its labels and
            policies.
        """
        differences = (_algebra.difference(a, b) for a, b in _algebra.pairs(self, other))
        return [difference for difference in differences if difference is not None]

    def information_loss(
        self,
        table: Table,
        weights: Mapping[str, float] | None = None,
        variant: Literal["goldsteen", "staab"] = "goldsteen",
    ) -> InformationLoss:
        """Measure how much detail is lost, between 0 and 1, over all and by attribute.

        Parameters
        ----------
        table : Table
        weights : mapping of str to float or None, default=None
        variant : {"goldsteen", "staab"}, default="goldsteen"

        Returns
        -------
        InformationLoss
        """
        return information_loss(self, table, weights, variant)

    def ncp(self, table: Table, weights: Mapping[str, float] | None = None) -> float:
        """Return the normalised certainty penalty (Goldsteen et al. 2021, eq. 1-2), in [0, 1].

        Parameters
        ----------
        table : Table
        weights : mapping of str to float or None, default=None

        Returns
        -------
        float
        """
        return self.information_loss(table, weights).overall

    def to_xlsform(
        self,
        *,
        target: Any = None,
        title: str | None = None,
        language: str = "en",
        labels: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> dict[str, list[dict[str, str]]]:
        """Return the form for field work, an XLSForm, which ODK and KoboToolbox take.

        Parameters
        ----------
        target : Target, optional
            Is asked last.
        title : str, optional
        language, labels
            As for `Form`.
        path : path, optional
            Where to write it as a spreadsheet (.xlsx), too.

        Returns
        -------
        dict of str to list of dict
            The rows of the sheets "survey", "choices" and "settings".
        """
        sheets: dict[str, list[dict[str, str]]] = supplied("to_xlsform")(
            self, target=target, title=title, language=language, labels=labels, path=path
        )
        return sheets

    def to_fhir(
        self,
        *,
        version: Literal["R4", "R5"] = "R5",
        target: Any = None,
        title: str | None = None,
        language: str = "en",
        labels: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        url: str | None = None,
    ) -> dict[str, Any]:
        """Return the form for hospitals, a FHIR Questionnaire, as plain JSON.

        Parameters
        ----------
        version : {"R5", "R4"}, default="R5"
        target : Target, optional
            Is asked last.
        title : str, optional
        language, labels
            As for `Form`.
        url : str, optional
            Its address; with it the codes have a system.

        Returns
        -------
        dict
        """
        words = {"title": title, "language": language, "labels": labels}
        asked: dict[str, Any] = supplied("to_fhir")(
            self, version=version, target=target, url=url, **words
        )
        return asked

    def to_pydantic(
        self, *, target: Any = None, output: Literal["codes", "labels"] = "codes"
    ) -> str:
        """Return the text of a Python module with a pydantic model of a record.

        Parameters
        ----------
        target : Target, optional
            Comes last.
        output : {"codes", "labels"}, default="codes"
            Whether a record holds the numbers of buckets, or their labels.

        Returns
        -------
        str
        """
        module: str = supplied("to_pydantic")(self, target=target, output=output)
        return module

    def to_pia(self, **facts: Any) -> dict[str, Any]:
        """Return what is known of the processing as a file for the CNIL's tool PIA.

        Parameters
        ----------
        **facts
            ``title``, ``purpose``, ``author`` and ``date``; ``roles`` with what the artifact does
            not carry, such as special categories; as ``reports`` those on this generalization that
            were saved as JSON; and where sparsam's collector is used ``keep_days`` and ``mode``.

        Returns
        -------
        dict
            Plain JSON, to be saved and imported there.
        """
        document: dict[str, Any] = supplied("to_pia")(self, **facts)
        return document

    def to_article30(self, **facts: Any) -> str:
        """Return a record of the processing (GDPR Art. 30) in Markdown, for a person to complete.

        Parameters
        ----------
        **facts
            As for `to_pia`.

        Returns
        -------
        str
        """
        record: str = supplied("to_article30")(self, **facts)
        return record

    @cached_property
    def _json(self) -> str:
        return super().to_json()

    def to_json(self) -> str:
        """Write the JSON document, which people can read."""
        return self._json

    def to_document(self) -> Document:
        return Document(FORMAT, VERSION, self._partitions, self.about)

    @classmethod
    def from_document(cls, document: Document) -> Generalization:
        check_names_once(document.attributes)
        return cls(document.attributes, document.about)

    def plot(self, ax: Axes | None = None, *, collected: bool = False, **style: Any) -> Axes:
        """Draw a bar for each attribute, cut where values are told apart.

        A bucket of numbers is as wide as its part of the range, one of categories as their number;
        how many people are in it is not shown.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        collected : bool, default=False
            Leave out what is not collected.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's bars,
            such as `linewidth`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> from sparsam.data import NumericDomain
        >>> from sparsam.generalization import numeric_partition
        >>> age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])
        >>> axes = Generalization([age]).plot()
        >>> axes.get_title(loc="left"), len(axes.patches)
        ('1 of 1 attribute collected, in 3 buckets', 3)
        """
        axes: Axes = supplied("plot_generalization")(self, ax, collected, **style)
        return axes

    def form(self, **options: Any) -> SavedPage:
        """Return a page on which people answer in these buckets, and can send nothing finer.

        Parameters
        ----------
        **options
            As for `sparsam.collect.Form`: where it is sent, its language, your own labels.
        """
        page: SavedPage = supplied("form")(self, **options)
        return page

    def to_json_schema(self, target: Any = None) -> dict[str, Any]:
        """Describe a collected record as JSON Schema 2020-12: its buckets, and nothing else.

        Form builders show the labels as choices; `sparsam.collect`'s service accepts the same.

        Parameters
        ----------
        target : Target, optional
            One more answer: what a model is to learn.

        Returns
        -------
        dict
        """
        schema: dict[str, Any] = supplied("to_json_schema")(self, target)
        return schema

    def to_javascript(self) -> str:
        """Write an ES module that generalises records, in a page or on a server.

        Returns
        -------
        str
        """
        module: str = supplied("to_javascript")(self)
        return module

    def to_sql(
        self,
        table: str,
        dialect: str = "duckdb",
        output: Output = "labels",
        keep: str | Iterable[str] = (),
    ) -> str:
        """Write the SQL statement that selects a table in buckets, where the table is.

        A column must have the type of its attribute; nothing is read out of texts. A value that is
        refused becomes null: let `to_sql_check` count these first. Needs the extra `sql`.

        Parameters
        ----------
        table : str
            As the dialect writes it: quoted or not, with its schema or not.
        dialect : str, default="duckdb"
            Such as "postgres", "snowflake", "bigquery", "spark", "mysql" (MariaDB too) or "tsql".
        output : {"labels", "codes"}, default="labels"
        keep : str or iterable of str, default=()
            Other columns to pass through as they are, such as the target.

        Returns
        -------
        str
        """
        statement: str = supplied("to_sql")(self, table, dialect, output, keep)
        return statement

    def to_sql_check(self, table: str, dialect: str = "duckdb") -> str:
        """Write the SQL statement that counts, by attribute, the values that have no bucket.

        It selects one row. Where every number in it is 0, `to_sql` refuses nothing.

        Parameters
        ----------
        table : str
        dialect : str, default="duckdb"

        Returns
        -------
        str
        """
        statement: str = supplied("to_sql_check")(self, table, dialect)
        return statement

    def to_dbt(self, name: str = "people", adapters: Sequence[str] | None = None) -> str:
        """Write macros for dbt: tables in buckets, and a test that nothing is refused.

        Needs the extra `sql`.

        Parameters
        ----------
        name : str, default="people"
            How the names of the macros begin.
        adapters : sequence of str or None, default=None
            Those of dbt; None for bigquery, databricks, duckdb, postgres, redshift and snowflake.

        Returns
        -------
        str
        """
        macros: str = supplied("to_dbt")(self, name, adapters)
        return macros

    def __str__(self) -> str:
        return _table_text(self._partitions)

    def __repr__(self) -> str:
        return (
            f"<Generalization: {len(self)} attributes, {len(self.collected)} collected, "
            f"{self.n_buckets} buckets>"
        )

    def _repr_html_(self) -> str:
        return _table_html(self._partitions)


def _facts(about: Mapping[str, Any]) -> bytes:
    """Freeze plain facts as JSON, which also makes sure that they survive saving."""
    try:
        encoded = msgspec.json.encode(dict(about), enc_hook=_numpy_to_python)
        check_plain(msgspec.json.decode(encoded))
        return encoded
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        msg = f"The 'about' facts of a generalization must be plain JSON. {error}"
        raise ParameterError(msg) from error


def _numpy_to_python(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return as_written(value)


_SIGNS = ("minimiser", "learned_from_rows")


def learned_from_rows(generalization: Generalization) -> tuple[str, ...]:
    """Name the attributes whose domains were learned from people's rows, and not declared.

    Their ranges and lists of categories tell something about the people. What a minimiser writes
    into `about` says so; a generalization that someone wrote by hand says nothing of the kind.

    Parameters
    ----------
    generalization : Generalization

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import Generalization, numeric_partition
    >>> by_hand = Generalization([numeric_partition("age", NumericDomain(0, 99), [18])])
    >>> learned_from_rows(by_hand)
    ()
    >>> learned_from_rows(by_hand.with_about({"minimiser": "PrivacyTree", "declared": []}))
    ('age',)
    """
    facts = generalization.about
    if not any(sign in facts for sign in _SIGNS):
        return ()
    named = facts.get("declared")
    declared = set(map(str, named)) if isinstance(named, list) else set()
    return tuple(name for name in generalization.names if name not in declared)


def joined_about(first: Generalization, other: Generalization) -> Mapping[str, Any]:
    """What is to be said of a generalization that was made from two: that it is learned, if so."""
    learned = {*learned_from_rows(first), *learned_from_rows(other)}
    if not learned:
        return {}
    declared = sorted(name for name in first.names if name not in learned)
    return {"minimiser": "made from others", "declared": declared}


HEADER = ("attribute", "before", "after", "buckets")
_WIDTH = 70
_WIDEST = 200


def _table_rows(partitions: tuple[Partition, ...]) -> list[tuple[str, str, str, str]]:
    """Return one line for each partition: attribute, before, after, number of buckets.

    Parameters
    ----------
    partitions : tuple of Partition

    Returns
    -------
    list of tuple of str
    """
    return [
        (partition.name, partition.before(), _after(partition.labels), str(partition.n_buckets))
        for partition in partitions
    ]


def _after(labels: tuple[str, ...]) -> str:
    """Show as many labels as fit, at least one."""
    ends = accumulate(len(label) + len(BETWEEN) for label in labels)
    return listed(labels, max(1, sum(end <= _WIDTH for end in ends)))


def _table_text(partitions: tuple[Partition, ...]) -> str:
    """Write the table with aligned columns.

    Parameters
    ----------
    partitions : tuple of Partition

    Returns
    -------
    str
    """
    lines = [HEADER, *(tuple(map(one_line, row)) for row in _table_rows(partitions))]
    # one cell that is very long must not make every line as long
    widths = [
        min(_WIDEST, max(len(cell) for cell in column)) for column in zip(*lines, strict=True)
    ]
    written = []
    for i, line in enumerate(lines):
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        cells.insert(2, "->" if i else "  ")
        written.append("  ".join(cells).rstrip())
    return "\n".join(written)


def _table_html(partitions: tuple[Partition, ...]) -> str:
    """Write the table as HTML, every text escaped.

    Parameters
    ----------
    partitions : tuple of Partition

    Returns
    -------
    str
    """
    head = "".join(f'<th scope="col">{title}</th>' for title in HEADER)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in _table_rows(partitions)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
