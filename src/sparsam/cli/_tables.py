"""Tables on the command line: how a file is written, `-` for a pipe, and what was guessed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click import get_current_context

from sparsam._printable import one_line
from sparsam.cli._terminal import SafeConsole, write_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sparsam.data import FileFormat, Source, Table
    from sparsam.data.source import Column, FileKind

PIPE = "-"
STANDARD_OUTPUT = Path(PIPE)
_FORMATS: dict[str, FileKind] = {
    "csv": "csv",
    "jsonl": "json lines",
    "json": "json",
    "xlsx": "excel",
}
_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
_THOUSANDS = {"none": "", "comma": ",", "point": ".", "space": " ", "apostrophe": "'"}
_FORMAT = "sparsam.format"
_READ = "sparsam.piped"
# What the user said himself, or what is no guess.
_SAID = ("identifier, left out", "ignored, left out", "quantile bins")


def _named(words: Mapping[str, str]) -> Any:
    """A callback that takes a word for a sign which is hard to type."""
    return lambda context, parameter, text: words.get(text, text)


def form_from(options: Mapping[str, Any]) -> FileFormat:
    """Return what the options say of how a file is written.

    Parameters
    ----------
    options : mapping
        Those of `file_options` among them.
    """
    from sparsam.data import FileFormat

    return FileFormat(**{fact.name: options.get(fact.name) for fact in fields(FileFormat)})


def output_name(output: Path, shown: object = None) -> str:
    """What to call the place that something is written to.

    Parameters
    ----------
    output : Path
    shown : object, optional
        What to call a file; its name when left out.
    """
    return "standard output" if output == STANDARD_OUTPUT else str(shown or output.name)


def _remember(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    context.meta[_FORMAT] = name
    return name


_OPTIONS = (
    click.option(
        "--encoding",
        metavar="NAME",
        help="How a text file is encoded, such as latin-1 or cp1252.  [default: utf-8]",
    ),
    click.option(
        "--delimiter",
        metavar="SIGN",
        callback=_named(_DELIMITERS),
        help="What divides its fields, such as ';' or 'tab'.  [default: found out]",
    ),
    click.option(
        "--decimal",
        type=click.Choice([".", ","]),
        help="What stands before decimals in it.  [default: found out]",
    ),
    click.option(
        "--thousands",
        metavar="SIGN",
        callback=_named(_THOUSANDS),
        help="What stands between thousands: , . ' 'space' or 'none'.  [default: found out]",
    ),
    click.option(
        "--date-order",
        type=click.Choice(["day/month/year", "month/day/year"]),
        help="What a date such as 3/4/2020 means in it.  [default: found out]",
    ),
    click.option(
        "--format",
        type=click.Choice(list(_FORMATS)),
        is_eager=True,
        callback=_remember,
        help="With - for standard input: what comes in.  [default: found out]",
    ),
)


def file_options(command: Any) -> Any:
    """Add the options that say how the file of a table is written."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def piped(context: click.Context) -> Any:
    """Read a table from standard input, whole: it has no place on a disk.

    Parameters
    ----------
    context : Context
    """
    from sparsam.data.source import Piped

    if context.meta.get(_READ):
        raise click.UsageError("Standard input (-) can be read once only.", context)
    context.meta[_READ] = True
    stream: Any = sys.stdin
    content: bytes = stream.buffer.read()
    said = context.meta.get(_FORMAT)
    return Piped(_kind(content) if said is None else _FORMATS[said], content)


def _kind(content: bytes) -> FileKind:
    """Tell by the first bytes what comes in."""
    if content.startswith(b"PK\x03\x04"):
        return "excel"
    if content.startswith(b"PAR1"):
        return "parquet"
    start = content[:256].lstrip(b"\xef\xbb\xbf \t\r\n")
    return "json lines" if start.startswith(b"{") else "json" if start.startswith(b"[") else "csv"


def is_table(file: Any) -> bool:
    """Whether what may be a table or an artifact is a table: it was piped in, or holds a list.

    Parameters
    ----------
    file : Path or Piped
    """
    if not isinstance(file, Path):
        return True
    name = file.name.lower()
    if name.endswith(".json"):
        with file.open("rb") as opened:
            return opened.read(256).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    return name.endswith(".json.gz")


def save_document(document: Any, output: Path) -> None:
    """Save an artifact, or write it to standard output.

    Parameters
    ----------
    document : Generalization or another artifact that is JSON
    output : Path
    """
    if output == STANDARD_OUTPUT:
        write_out(document.to_json())
    else:
        document.save(output)


def write_table(columns: Mapping[str, NDArray[Any]], *, spreadsheet_safe: bool = False) -> None:
    """Write columns to standard output, as CSV.

    Parameters
    ----------
    columns : mapping of str to ndarray
    spreadsheet_safe : bool, default=False
        Put an apostrophe before texts that a spreadsheet would run.
    """
    from sparsam.data.source import csv_text, without_formulas

    write_out(csv_text(without_formulas(columns) if spreadsheet_safe else columns))


def check_alone(output: Path | None, *others: str) -> bool:
    """Whether what is saved goes to standard output; refuse options that print there too.

    Parameters
    ----------
    output : Path or None
    *others : str
        Names of the parameters of the running command that would print something else.
    """
    if output != STANDARD_OUTPUT:
        return False
    context = get_current_context()
    for parameter in context.command.params:
        if parameter.name in others and context.params[str(parameter.name)]:
            raise click.UsageError(
                f"{max(parameter.opts, key=len)} and --output - would both write to standard "
                "output. Give one of them a file."
            )
    return True


def show_notes(table: Table, console: SafeConsole, *, said: bool = True) -> None:
    """Print how a table was read: one table of what was guessed and might be wrong.

    Parameters
    ----------
    table : Table
    console : SafeConsole
        On standard error.
    said : bool, default=True
        Whether to print what is no guess, too, such as which columns are identifiers.
    """
    remarks, others = _sorted(table)
    for note in others:
        if said or not note.endswith(_SAID):
            console.print(f"Note: {note}")
    rows = [(name, *_facts(table, name), "; ".join(words)) for name, words in remarks.items()]
    _show(rows, console)


def show_remarks(
    source: Source, console: SafeConsole, in_place: Mapping[str, str] | None = None
) -> None:
    """Print the same of a table that is open, and not encoded.

    Parameters
    ----------
    source : Source
    console : SafeConsole
    in_place : mapping of str to str, optional
        What was guessed about columns that were not loaded.
    """
    guessed = [f"{name}: {remark}" for name, remark in (in_place or {}).items() if remark]
    for note in (*source.notes, *guessed):
        console.print(f"Note: {note}")
    _show([_column_facts(column) for column in source.remarked], console)


def _show(rows: Sequence[tuple[str, ...]], console: SafeConsole) -> None:
    from rich import box
    from rich.table import Table as Grid

    if not rows:
        return
    grid = Grid(box=box.SIMPLE, pad_edge=False, show_edge=False)
    for title in ("column", "read as", "values", "missing", "remark"):
        grid.add_column(title, justify="right" if title in ("values", "missing") else "left")
    for row in rows:
        grid.add_row(*map(one_line, row))
    console.print(grid, soft_wrap=False)
    console.print(
        "What was guessed can be corrected, in a roles file (sparsam roles) or by options."
    )


def _sorted(table: Table) -> tuple[dict[str, list[str]], list[str]]:
    """Sort the notes: what was guessed of which column, and what is no guess, or about all."""
    remarks: dict[str, list[str]] = {}
    others = []
    names = sorted((*table.names, *table.left_out), key=len, reverse=True)
    for note in table.notes:
        name = next((name for name in names if note.startswith(f"{name}: ")), None)
        if name is None or note.endswith(_SAID):
            others.append(note)
        else:
            remarks.setdefault(name, []).append(note[len(name) + 2 :])
    return remarks, others


def _facts(table: Table, name: str) -> tuple[str, str, str]:
    """What a column was read as, how many values it has, and how many are missing."""
    if name not in table.names:
        return "nothing", "", ""
    attribute = table.attribute(name)
    values = f"{attribute.n_values:,}{' bins' if attribute.binned else ''}"
    gone = int((table.column(name) == attribute.n_values).sum()) if attribute.missing else 0
    return attribute.kind, values, _people(gone)


def _column_facts(column: Column) -> tuple[str, ...]:
    cells = column.objects().tolist()
    known = [cell for cell in cells if cell is not None and cell == cell]  # noqa: PLR0124 - NaN
    numeric = known and all(isinstance(cell, int | float) for cell in known)
    kind = "numeric" if numeric and not isinstance(known[0], bool) else "categorical"
    gone = _people(len(cells) - len(known))
    return column.name, kind, f"{len(set(known)):,}", gone, column.remark


def _people(count: int) -> str:
    from sparsam._small_counts import suppress

    told = suppress(count)
    return f"{told:,}" if isinstance(told, int) else str(told)
