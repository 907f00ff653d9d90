"""The body of a request as a record of bucket numbers, or the reasons why it is none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sparsam._errors import SparsamError

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,5}", re.ASCII)
_LINE_END: Final = re.compile(r"\r\n|\r|\n")

NOT_JSON = "The body must be one JSON object of bucket numbers."
NOT_UTF8 = "The body must be text in UTF-8."
REFUSED = "The record was refused: nothing was kept."
UNKNOWN = "Only these attributes are taken; others came as well."


class Refused(SparsamError):  # noqa: N818 - an answer to whoever asked
    """A request that is not taken, with what is allowed and nothing of what was sent.

    Parameters
    ----------
    status : int
        Of HTTP.
    message : str
    attributes : mapping of str to str
        For each attribute that is not as it must be, what is allowed.
    """

    def __init__(
        self, status: int, message: str, attributes: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.attributes = dict(attributes or {})


class RecordShape:
    """What a record must look like: each of these attributes once, with the number of a bucket.

    Parameters
    ----------
    sizes : mapping of str to int
        For every attribute how many buckets it has, in the order of the record.

    Examples
    --------
    >>> shape = RecordShape({"age": 9, "sex": 2})
    >>> shape.from_json(b'{"sex": 1, "age": 8}')
    (8, 1)
    >>> shape.from_form(b"age=8&sex=1")
    (8, 1)
    >>> shape.from_json(b'{"sex": 1, "age": 47}')
    Traceback (most recent call last):
    ...
    sparsam.collect.door._record.Refused: The record was refused: nothing was kept.
    """

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = dict(sizes)
        # every name percent-encoded, every number, and what stands between them
        self.longest = sum(3 * len(name.encode()) + len(str(n)) + 6 for name, n in sizes.items())
        # a browser ends the lines in a name by \r\n
        self._in_forms = {_LINE_END.sub("\r\n", name): name for name in self.sizes}
        self._in_forms |= {name: name for name in self.sizes}

    def from_json(self, body: bytes) -> tuple[int, ...]:
        """Read a record from JSON such as ``{"age": 1, "sex": 0}``.

        Every attribute must occur once, as a whole number: neither true nor 1.0 nor "1" is one.

        Parameters
        ----------
        body : bytes

        Raises
        ------
        Refused
        """
        return self._codes(json_pairs(body))

    def from_form(self, body: bytes) -> tuple[int, ...]:
        """Read a record from a form such as ``age=1&sex=0``, as a page without scripts sends it.

        Parameters
        ----------
        body : bytes

        Raises
        ------
        Refused
        """
        sent = form_pairs(body)
        return self._codes((self._in_forms.get(name, ""), as_number(text)) for name, text in sent)

    def _codes(self, pairs: Iterable[tuple[str, Any]]) -> tuple[int, ...]:
        codes: dict[str, int] = {}
        wrong: set[str] = set()
        unknown = False
        sizes = self.sizes
        for name, value in pairs:
            size = sizes.get(name)
            if size is None:
                unknown = True
            elif type(value) is int and 0 <= value < size and name not in codes:
                codes[name] = value
            else:
                wrong.add(name)
        if unknown or wrong or len(codes) != len(sizes):
            raise self._refusal(wrong | (sizes.keys() - codes.keys()), unknown=unknown)
        return tuple([codes[name] for name in sizes])

    def _refusal(self, wrong: set[str], *, unknown: bool) -> Refused:
        """Make the error: the attributes by our own names, in our own order."""
        named = {
            name: f"must come once, as a whole number from 0 to {size - 1}"
            for name, size in self.sizes.items()
            if name in wrong or (unknown and not wrong)
        }
        return Refused(422, f"{REFUSED} {UNKNOWN}" if unknown else REFUSED, named)


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object one by one, so that one that comes twice is seen."""


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_Pairs)


def json_pairs(body: bytes) -> list[tuple[str, Any]]:
    """Read the members of a JSON object, one that comes twice as well.

    Parameters
    ----------
    body : bytes

    Raises
    ------
    Refused
    """
    try:
        pairs = _DECODER.decode(_text(body))
    except (ValueError, RecursionError):
        raise Refused(400, NOT_JSON) from None
    if type(pairs) is not _Pairs:
        raise Refused(400, NOT_JSON)
    return pairs


def form_pairs(body: bytes) -> list[tuple[str, str]]:
    """Read what a form sends, one field that comes twice as well.

    Parameters
    ----------
    body : bytes

    Raises
    ------
    Refused
    """
    from starlette.datastructures import QueryParams

    return QueryParams(_text(body)).multi_items()


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(400, NOT_UTF8) from None


def as_number(text: str) -> int | None:
    """Read a whole number as it is written in one way only: no sign, no blank, no leading zero.

    Examples
    --------
    >>> as_number("10"), as_number("010"), as_number("+1")
    (10, None, None)
    """
    return int(text) if _NUMBER.fullmatch(text) else None
