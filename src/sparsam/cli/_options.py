"""Options that several commands share, and what they mean in Python."""

from __future__ import annotations

import hashlib
import os
import shlex
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sparsam._writing import check_writable
from sparsam.cli._tables import PIPE, STANDARD_OUTPUT, file_options, piped

if TYPE_CHECKING:
    from sparsam.data import Roles


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _InputFile(click.Path):
    """A file to read, which no output of the command may be."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Turn the text into the path of a file that is there."""
        path = Path(str(super().convert(value, param, ctx)))
        if param is not None and ctx is not None:
            claim(path, _option(param, ctx), ctx, written=False)
        return path


InputFile = _InputFile()


class _InputTable(_InputFile):
    """A table to read: a file, a folder, a pattern, a database, or - for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Turn the text into the path of a file, or into what came through the pipe."""
        if str(value) == PIPE and ctx is not None and not ctx.resilient_parsing:
            return piped(ctx)
        if places := _several_places(str(value)):
            if param is not None and ctx is not None:
                for file in places:
                    claim(file, _option(param, ctx), ctx, written=False)
            return Path(str(value))
        return super().convert(value, param, ctx)


def _several_places(text: str) -> list[Path]:
    """The files of a folder, of a pattern or of a database; of a server only its address."""
    from sparsam._errors import DataError
    from sparsam.data import table_places

    try:
        return table_places(text)
    except DataError as error:
        raise click.BadParameter(str(error)) from None


InputTable = _InputTable()


class OutputFile(click.Path):
    """A file to write, checked before the work begins.

    Its ending must fit, its folder must be there, it must be possible to write it, and it must be
    no other file of the command.

    Parameters
    ----------
    *endings : str
        Such as ".json"; none for any.
    pipe : bool, default=False
        Whether - is taken too, for standard output.
    """

    def __init__(self, *endings: str, pipe: bool = False) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)
        self.endings, self.pipe = endings, pipe

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Turn the text into a path, or say why it cannot be written."""
        if str(value) == PIPE:
            if self.pipe:
                return STANDARD_OUTPUT
            self.fail("Standard output (-) is not possible here: give a file.", param, ctx)
        path = Path(str(super().convert(value, param, ctx)))
        if self.endings and not path.name.lower().endswith(self.endings):
            fits = f"The name must end in {_either(self.endings)}: '{path.name}'."
            self.fail(fits + _other_option(path, ctx), param, ctx)
        if not path.absolute().parent.is_dir():
            self.fail(f"There is no folder '{path.parent}' to write into.", param, ctx)
        if ctx is None or not ctx.resilient_parsing:
            try:
                check_writable(path)
            except OSError as error:
                self.fail(f"'{path.name}' cannot be written: {error.strerror}.", param, ctx)
        if param is not None and ctx is not None:
            claim(path, _option(param, ctx), ctx, written=True)
        return path


def _option(param: click.Parameter, ctx: click.Context) -> str:
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.make_metavar(ctx)


def _other_option(path: Path, ctx: click.Context | None) -> str:
    """Name the option of the same command that would take such a file."""
    for other in ctx.command.params if ctx is not None else ():
        if isinstance(other.type, OutputFile) and path.name.lower().endswith(other.type.endings):
            return f" Use {max(other.opts, key=len)} for it."
    return ""


def _either(endings: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))


def _together(*options: Decorator) -> Decorator:
    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def names_in(texts: Sequence[str]) -> list[str]:
    """Names that were given with commas, or with an option each, every one once.

    Examples
    --------
    >>> names_in(["age, sex", "zip"])
    ['age', 'sex', 'zip']
    """
    names = (name.strip() for text in texts for name in text.split(","))
    return list(dict.fromkeys(name for name in names if name))


def names_option(*declarations: str, help: str, metavar: str = "NAMES") -> Decorator:
    """An option that takes names: with commas, or several times, or both.

    Parameters
    ----------
    *declarations : str
        Such as "--identifier".
    help : str
    metavar : str, default="NAMES"
    """
    return click.option(
        *declarations,
        multiple=True,
        metavar=metavar,
        help=help,
        callback=lambda context, parameter, texts: tuple(names_in(texts)),
    )


missing_option = click.option(
    "--missing",
    multiple=True,
    metavar="TEXT",
    help="A text that means missing in every column, such as '?'.",
)
roles_option = click.option(
    "--roles", type=InputFile, help="A TOML file with all of these: see `sparsam roles`."
)
reading_options = _together(
    names_option("--identifier", help="Columns that name a person, never to be used."),
    names_option("--ignore", help="Columns not to be used: a row number, a leak of the target."),
    names_option("--numeric", help="Columns to read as numbers."),
    names_option("--categorical", help="Columns to read as categories."),
    names_option("--dates", help="Columns to read as dates."),
    missing_option,
    file_options,
    click.option("--drop-missing-target", is_flag=True, help="Leave out rows without a target."),
    roles_option,
)
groups_option = names_option(
    "--groups",
    help="Groups to look at: sex, age=18/65 (cut there), sex*age=65 (crossed).  [default: personal "
    "attributes with few values, such as sex or race]",
)
group_loss_option = click.option(
    "--max-utility-loss-per-group",
    type=click.FloatRange(0),
    help="How much of the score any group may lose.",
)
role_options = _together(
    click.option(
        "--target",
        metavar="NAME|EXPRESSION",
        multiple=True,
        help='What the model predicts: a column, or "income>50000". To `minimise` for several '
        "purposes, once for each.",
    ),
    click.option(
        "--personal",
        metavar="NAMES",
        help="What to protect: names with commas, 'categorical' or 'all'.  [default: categorical]",
        multiple=True,
    ),
    reading_options,
)
spreadsheet_option = click.option(
    "--spreadsheet-safe",
    is_flag=True,
    help="In a CSV file: an apostrophe before texts that a spreadsheet would run (= + - @).",
)
report_option = click.option(
    "--report",
    type=OutputFile(".html", ".htm", ".md", ".json"),
    help="Where to save the report (.html, .md or .json).",
)
# Named here too, so that the command line starts without loading what measures them.
SCORES = ("auto", "accuracy", "balanced accuracy", "log loss", "auc", "r2", "mae")
score_option = click.option(
    "--score",
    type=click.Choice(SCORES),
    default="auto",
    show_default=True,
    help="What utility is measured by. auto: r2 where the target is a number, accuracy where no "
    "class is much more common than the others, else auc (two classes) or balanced accuracy.",
)


def _day(ctx: click.Context, param: click.Parameter, day: str | None) -> str | None:
    """Settle the date of a report once, so that the command that is written into it has it too."""
    from sparsam.report import day_of

    return None if ctx.resilient_parsing else day_of(day)


author_option = click.option("--author", metavar="NAME", help="Who makes the report, for its head.")
purpose_option = click.option("--purpose", metavar="TEXT", help="What for, for its head.")
date_option = click.option(
    "--date",
    metavar="DAY",
    callback=_day,
    help="The date at its head, such as 2026-11-16.  [default: today, UTC]",
)
head_options = _together(author_option, purpose_option, date_option)
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of every choice."
)


def _memory(context: click.Context, param: click.Parameter, text: str | None) -> int | None:
    from sparsam._errors import ParameterError
    from sparsam._memory import memory_budget

    try:
        return None if text is None else memory_budget("--max-memory", text)
    except ParameterError:
        expected = "a size such as 4GB or 512MiB"
        raise click.BadParameter(f"must be {expected}. Got {text!r} instead.") from None


def _memory_option(what: str) -> Decorator:
    words = f"How much memory the table may take, such as 4GB. {what}"
    return click.option(
        "--max-memory",
        metavar="SIZE",
        callback=_memory,
        help=f"{words}  [default: half of what is free]",
    )


memory_option = _memory_option(
    "Of a larger one a sample is drawn to learn from; all rows count in what is reported."
)
release_memory_option = _memory_option("A larger one is read and counted where it lies.")
confidence_option = click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, max_open=True),
    default=0.95,
    show_default=True,
    help="How sure it must be that the promise holds.",
)
jobs_option = click.option("--jobs", type=click.IntRange(1), help="Threads.  [default: cores]")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, nothing else.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress and no remarks.")


def roles_from(options: Mapping[str, Any]) -> Roles:
    """Roles from the file, if there is one, and from the options.

    What is given as an option wins; lists of names add to the file's, so that no column declared
    an identifier comes back.

    Parameters
    ----------
    options : mapping
        Those of `role_options`, or some of them.
    """
    from sparsam.data import FileFormat, Roles

    file = options.get("roles")
    declared = Roles() if file is None else Roles.from_toml(file)
    personal = _personal(options.get("personal") or ())
    target = options.get("target") or ()
    given = Roles(
        targets=(target,) if isinstance(target, str) else target,
        personal="categorical" if personal is None else personal,
        identifiers=options.get("identifier", ()),
        ignore=options.get("ignore", ()),
        numeric=options.get("numeric", ()),
        categorical=options.get("categorical", ()),
        dates=options.get("dates", ()),
        missing_values=tuple(dict.fromkeys(options.get("missing", ()))),
        drop_missing_target=options.get("drop_missing_target", False),
        file=FileFormat(**{fact.name: options.get(fact.name) for fact in fields(FileFormat)}),
    )
    both = given.completed_by(declared)
    return both if personal is None else replace(both, personal=personal)


def _personal(texts: Sequence[str]) -> str | tuple[str, ...] | None:
    names = names_in(texts)
    if not names or names in (["categorical"], ["all"]):
        return names[0] if names else None
    return tuple(names)


_CLAIMS = "sparsam.places"


@dataclass(frozen=True)
class _Claim:
    """A file of this command: where, by which option, and whether it is written."""

    path: Path
    what: str
    written: bool


def claim(path: Path, what: str, ctx: click.Context, *, written: bool) -> None:
    """Note a file of the running command, unless it would be written over another one of them.

    Parameters
    ----------
    path : Path
    what : str
        By which option or argument it was given.
    ctx : Context
    written : bool
        Or only read.
    """
    claims: list[_Claim] = ctx.meta.setdefault(_CLAIMS, [])
    for old in claims:
        if (old.written or written) and _same(old.path, path):
            raise click.UsageError(
                f"{old.what} and {what} are the same file, '{path.name}'. Every file that is "
                "written must have its own name.",
                ctx,
            )
    claims.append(_Claim(path, what, written))


def claim_input(path: Path, what: str) -> None:
    """Note that the running command reads a file that no option of type `InputFile` names.

    Parameters
    ----------
    path : Path
    what : str
        Such as "--hierarchy".
    """
    claim(path, what, get_current_context(), written=False)


def claim_output(path: Path, what: str) -> None:
    """Note that the running command writes a file that no option of type `OutputFile` names.

    Parameters
    ----------
    path : Path
    what : str
        Such as "the certificate beside --output".
    """
    try:
        check_writable(path)
    except OSError as error:
        raise click.UsageError(
            f"'{path.name}' ({what}) cannot be written: {error.strerror}."
        ) from None
    claim(path, what, get_current_context(), written=True)


def _same(path: Path, other: Path) -> bool:
    """Whether two paths lead to one file: by links of any kind, or by names that differ in case."""
    if path.exists() and other.exists():
        return os.path.samefile(path, other)
    return not path.exists() and not other.exists() and _folded(path) == _folded(other)


def _folded(path: Path) -> str:
    """How a disk that knows no case would see a path; disks also differ in how they write é."""
    return unicodedata.normalize("NFC", os.path.realpath(path)).casefold()


def command_line() -> str:
    """The command that is running, quoted for a shell, without the folders of this machine."""
    context = get_current_context()
    words = ["sparsam", *_names(context)]
    for parameter in context.command.params:
        name = str(parameter.name)
        # on another day the same command would give another date
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE or name == "date":
            words += _words(parameter, context.params[name])
    return shlex.join(words)


def made_by(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the head of a report says besides its title."""
    return {name: options[name] for name in ("author", "purpose", "date") if name in options}


def _names(context: click.Context) -> list[str]:
    """The command, after the groups that it belongs to; the outermost is the program itself."""
    if context.parent is None:
        return [str(context.info_name)]
    above = _names(context.parent) if context.parent.parent is not None else []
    return [*above, str(context.info_name)]


def _words(parameter: click.Parameter, value: Any) -> list[str]:
    if not isinstance(parameter, click.Option):
        return [_word(item) for item in (value if parameter.nargs == -1 else [value])]
    if parameter.is_flag:
        return [parameter.opts[-1] if value else parameter.secondary_opts[-1]]
    values = value if parameter.multiple else [value]
    return [word for item in values for word in (parameter.opts[-1], _word(item))]


def _word(value: Any) -> str:
    return value.name if isinstance(value, Path) else str(value)


def file_hash(file: Path) -> str:
    """The SHA-256 of a file: of a model, never of personal data."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
