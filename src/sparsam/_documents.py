"""The one reader for documents that a stranger may have written, and the one writer of our own.

Whatever a file holds, reading it ends soon: with plain data that every later step can hold, print
and save again, or with a `DocumentError` that points at the field.
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from sparsam._errors import DocumentError

MAX_BYTES: Final = 2**26
"""How long a document may be."""
MAX_VALUES: Final = 1_000_000
"""How many values a document may list: what is linear in them takes a second or two."""
MAX_DEPTH: Final = 64
"""How deeply lists and objects may lie in one another."""
_MAX_DIGITS: Final = 1_000
_MAX_TOML: Final = 2**21

SAFE_INTEGER: Final = 2**53 - 1
"""The largest whole number that Python, SQL and JavaScript all hold exactly."""
SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
# a key of many parts is deep too, and Python's reader takes a time that grows with their square
_KEY: Final = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DOTTED: Final = re.compile(rf"(?<![\w-])(?:{_KEY}[ \t]*+\.[ \t]*+){{{MAX_DEPTH + 1}}}")
# what a stranger wrote there is not repeated
_FORMAT: Final = re.compile("sparsam/(generalization|recoding|questionnaire|certificate)")
_BOM: Final = "\ufeff"
_KINDS: Final = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}

_write = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # made once: it is slow

_Kind = TypeVar("_Kind", bound=msgspec.Struct)
_Trail = tuple[Any, Any] | None
"""The way to a value: the way to what holds it, and its key or place there."""


class Written(float):
    """A number that documents write as text, such as a day: its `str` is the text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(str(self))


def read_bytes(path: str | os.PathLike[str], most: int = MAX_BYTES) -> bytes:
    """Read a file, unless it is larger than a document may be.

    Parameters
    ----------
    path : str or path
    most : int
        How many bytes it may have.

    Raises
    ------
    DocumentError
    """
    with Path(path).open("rb") as stream:  # what is no plain file has no size to ask for
        content = stream.read(most + 1)
    _check_size(len(content), most)
    return content


def decode_text(
    text: str | bytes,
    what: str,
    most: int = MAX_BYTES,
    separators: Sequence[str] = (",", "[", "{"),
) -> str:
    """Return a document as text: UTF-8, with or without a byte order mark.

    Parameters
    ----------
    text : str or bytes
    what : str
        What was expected, in words.
    most : int
        How many bytes it may have.
    separators : sequence of str
        What stands before or between values.

    Raises
    ------
    DocumentError
    """
    _check_size(len(text), most)
    try:
        raw = text.encode() if isinstance(text, str) else bytes(text)
        decoded = raw.decode()
    except UnicodeError:
        raise DocumentError(f"{what} in UTF-8 was expected; other bytes came.") from None
    if sum(decoded.count(sign) for sign in separators) > MAX_VALUES:
        raise DocumentError(f"A document must hold at most {MAX_VALUES:,} values. It holds more.")
    return decoded.removeprefix(_BOM)


def parse_json(text: str | bytes) -> Any:
    """Read JSON into plain data, all of which can be written again.

    Parameters
    ----------
    text : str or bytes
        UTF-8.

    Returns
    -------
    dict, list, str, int, float, bool or None
        Numbers are finite, whole ones of more than 64 bits are floats, and no text holds half of
        a character.

    Raises
    ------
    DocumentError
        A key occurs twice, a number is not finite, something is damaged, too large or too deep.

    Examples
    --------
    >>> parse_json('{"a": [1, 2.5, 100000000000000000000]}')
    {'a': [1, 2.5, 1e+20]}
    """
    decoded = decode_text(text, "A JSON document")
    twice: dict[int, str] = {}

    def join(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        joined = dict(pairs)
        if len(joined) != len(pairs):
            twice[id(joined)] = _repeated_key(pairs)
        return joined

    try:
        raw = json.loads(
            decoded,
            object_pairs_hook=join,
            parse_int=_whole_number,
            parse_float=_number,
            parse_constant=_number,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(f"A JSON document was expected; it breaks at {where}.") from None
    except RecursionError:
        raise _too_deep() from None
    check_plain(raw, twice, half_characters=_SURROGATE.search(decoded) is not None)
    return raw


def parse_toml(text: str | bytes, what: str) -> dict[str, Any]:
    """Read TOML into plain data, with the same guards.

    Parameters
    ----------
    text : str or bytes
        UTF-8.
    what : str
        What was expected, in words.

    Raises
    ------
    DocumentError
    """
    decoded = decode_text(text, what, _MAX_TOML)
    if _DOTTED.search(decoded):
        raise _too_deep()
    try:
        raw = tomllib.loads(decoded)
    except tomllib.TOMLDecodeError as error:
        raise DocumentError(f"{what} was expected; it breaks: {error}.") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # Python reads no number of thousands of digits, and no 31st of February
        raise DocumentError(f"{what} was expected; a number or a date in it is none.") from None
    check_plain(raw)
    return raw


def check_plain(
    raw: Any, twice: dict[int, str] | None = None, *, half_characters: bool = False
) -> None:
    """Raise for plain data that cannot be written again, or that lies too deep.

    Parameters
    ----------
    raw : dict, list or plain value
    twice : dict of int to str, optional
        By the identity of an object, a key that it held twice.
    half_characters : bool, default=False
        Whether texts may hold surrogates, which are half of a character each.
    """
    odd, level, depth = bool(twice) or half_characters, [raw], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH + 1:
            raise _too_deep()
        inner = [item for holder in level for item in _items(holder)]
        odd = odd or any(not _writable_number(item) for item in inner)
        level = [item for item in inner if isinstance(item, dict | list)]
    if not odd and _writable_number(raw):
        return
    for value, trail in _walk(raw):
        fault = _fault(value, twice or {})
        if fault is not None:
            raise DocumentError(fault, _path(trail))


def read_document(text: str | bytes, kind: type[_Kind], form: str, what: str) -> _Kind:
    """Read a document of any kind, or say which field of it is wrong.

    Parameters
    ----------
    text : str or bytes
    kind : type
        The structure to read it as.
    form : str
        What its "format" must be.
    what : str
        What such a document is, in words.

    Returns
    -------
    kind

    Raises
    ------
    DocumentError
    """
    raw = parse_json(text)
    check_header(raw, form, what)
    return convert_part(raw, kind)


def check_header(raw: Any, form: str, what: str, versions: tuple[int, ...] = (1,)) -> None:
    """Raise unless a parsed document says that it is of this form and of a known version."""
    if not isinstance(raw, dict):
        kind = "null" if raw is None else _KINDS.get(type(raw), "a number")
        raise DocumentError(f"An object was expected. Got {kind} instead.")
    if raw.get("format") != form:
        other = _FORMAT.fullmatch(str(raw.get("format")))
        found = f" This one is a {other[1]}." if other else ""
        msg = f"This is not a saved {what}: its format must be '{form}'.{found}"
        raise DocumentError(msg, "$.format")
    version = raw.get("version")
    if type(version) is not int or version not in versions:
        msg = (
            f"The version must be {' or '.join(map(str, versions))}. "
            "Got another; a newer sparsam may have written it."
        )
        raise DocumentError(msg, "$.version")


def convert_part(raw: Any, kind: type[_Kind], path: str = "$") -> _Kind:
    """Turn a parsed part of a document into its structure; an error names the field."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _explain(error, path) from error


def write_document(document: msgspec.Struct) -> str:
    """Write any document, indented, with each list of plain values on one line."""
    return _pretty(_shorten(plain_parts(document))) + "\n"


def plain_parts(document: Any) -> Any:
    """Return a structure as plain data: what is written of it."""
    return msgspec.to_builtins(document, enc_hook=as_written)


def as_written(value: Any) -> Any:
    """Return what JSON holds of a value that it does not know."""
    if isinstance(value, Written):
        return str(value)
    raise TypeError(f"JSON knows no {type(value).__name__}.")


def schema_of(
    kind: type[msgspec.Struct], title: str, *more: type[msgspec.Struct]
) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a document of any kind.

    Parameters
    ----------
    kind : type
        The structure of the document.
    title : str
    *more : type
        Further structures to define in the schema.

    Returns
    -------
    dict
    """
    (reference, *_), components = msgspec.json.schema_components(
        [kind, *more], ref_template="#/$defs/{name}"
    )
    for component in components.values():
        component["description"] = component.get("description", "").split("\n")[0]
    return {"$schema": SCHEMA_DIALECT, "title": title, **reference, "$defs": components}


def whole(number: float) -> float:
    """Write a whole number without its decimal point; leave any other number alone.

    Examples
    --------
    >>> whole(17.0), whole(17.5)
    (17, 17.5)
    """
    if isinstance(number, float) and number.is_integer() and abs(number) <= SAFE_INTEGER:
        return int(number)
    return number


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise DocumentError(f"A document must have at most {most // 2**20} MiB. It has more.")


def _too_deep() -> DocumentError:
    return DocumentError(f"The document is nested too deeply: more than {MAX_DEPTH} levels.")


def _whole_number(text: str) -> float:
    """Keep what fits 64 bits; what is larger is a float in every other language too."""
    if len(text) < 19:
        return int(text)
    if len(text) <= 20 and -(2**63) <= int(text) < 2**64:
        return int(text)
    return _number(text)


def _number(text: str) -> float:
    return float(text) if len(text) <= _MAX_DIGITS else math.inf


def _repeated_key(pairs: list[tuple[str, Any]]) -> str:
    seen = set[str]()
    for key, _ in pairs:
        if key in seen:
            break
        seen.add(key)
    return key


def _items(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _writable_number(value: Any) -> bool:
    kind = type(value)
    if kind is float:
        return math.isfinite(value)
    return kind is not int or -(2**63) <= value < 2**64


def _walk(raw: Any) -> Iterator[tuple[Any, _Trail]]:
    """Yield every value and its way from the root, in the order of the document."""
    waiting: list[tuple[Any, _Trail]] = [(raw, None)]
    while waiting:
        value, trail = waiting.pop()
        yield value, trail
        if isinstance(value, dict):
            waiting.extend((value[key], (trail, key)) for key in reversed(value))
        elif isinstance(value, list):
            places = range(len(value) - 1, -1, -1)
            waiting.extend((value[place], (trail, place)) for place in places)


def _fault(value: Any, twice: dict[int, str]) -> str | None:
    if not _writable_number(value):
        return f"Every number must be finite, and of at most {_MAX_DIGITS:,} digits."
    if isinstance(value, dict):
        if id(value) in twice:
            return f"The key '{twice[id(value)]}' must occur once. Got it twice."
        if not all(map(_whole_text, value)):
            return "Every key must be whole text. One holds half of a character."
    if isinstance(value, str) and not _whole_text(value):
        return "Every text must be whole. Got half of a character in it."
    return None


def _whole_text(text: Any) -> bool:
    try:
        str(text).encode()
    except UnicodeEncodeError:
        return False
    return True


def _path(trail: _Trail) -> str:
    steps: list[str] = []
    while trail is not None:
        trail, key = trail
        steps.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return "$" + "".join(reversed(steps))


def _explain(error: msgspec.ValidationError, within: str) -> DocumentError:
    """Split the path off msgspec's message, and add the field that our own checks named."""
    match = re.fullmatch(r"(.*?)(?: - at `(.*)`)?", str(error), re.DOTALL)
    message, path = (match[1], match[2] or "$") if match else (str(error), "$")
    path = within + path.removeprefix("$")
    field = getattr(error.__cause__, "field", None)
    return DocumentError(message, path if field is None else f"{path}.{field}")


def _shorten(value: Any) -> Any:
    """Write whole numbers without a decimal point everywhere in the document."""
    if isinstance(value, dict):
        return {key: _shorten(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_shorten(inner) for inner in value]
    return whole(value) if isinstance(value, float) else value


def _pretty(value: Any, indent: str = "") -> str:
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_write(key)}: {_pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        lines = [inner + _pretty(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _write(value)
