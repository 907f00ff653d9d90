"""The words of a page in one language, and numbers and dates as people write them there."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from sparsam._documents import parse_toml, read_bytes
from sparsam._errors import DocumentError, ParameterError
from sparsam.data import NumericDomain, date_of, time_of
from sparsam.generalization import number_label

_PLACE: Final = re.compile(r"\{(\w+)\}")
_MONTHS: Final = "months"
_CODE: Final = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


class Language:
    """The words of a page.

    Parameters
    ----------
    code : str
        Such as "en", for the page's `lang`.
    words : mapping of str to str
        Every word that the English file has.
    months : sequence of str
        The twelve months.

    Examples
    --------
    >>> english = Language.of("en")
    >>> english.say("members", count=13)
    'all 13'
    >>> english.interval(NumericDomain(0, 99, integer=True), 17, 62)
    '17–61'
    """

    def __init__(self, code: str, words: Mapping[str, str], months: Sequence[str]) -> None:
        self.code = code
        self._words = dict(words)
        self._months = tuple(months)

    @classmethod
    def of(cls, language: str) -> Language:
        """Return a language that is known by its code, or that a file has.

        Parameters
        ----------
        language : str
            A code such as "de"; or the path of a TOML file with all words, named after its
            language, such as "words/pl.toml".

        Raises
        ------
        ParameterError
            There is no such language.
        DocumentError
            The file lacks a word, or has one that no page uses.
        """
        if not str(language).endswith(".toml"):
            return _known(str(language))
        path = Path(language)
        if not _CODE.fullmatch(path.stem):
            msg = (
                "A file of words must be named after its language, such as 'pl.toml'. "
                f"Got '{path.name}' instead."
            )
            raise ParameterError(msg)
        try:
            return cls(path.stem, *_read(read_bytes(path)))
        except DocumentError as error:
            error.add_note(f"The document is the file '{path.name}'.")
            raise

    @property
    def words(self) -> dict[str, str]:
        """Every word (a copy)."""
        return dict(self._words)

    def with_words(self, words: Mapping[str, str]) -> Language:
        """Return the language with some of its words replaced."""
        for word, text in words.items():
            _check_word(word, text)
        return Language(self.code, {**self._words, **words}, self._months)

    def say(self, word: str, **values: Any) -> str:
        """Return a word, with its places filled in."""
        return _PLACE.sub(lambda place: str(values[place[1]]), self._words[word])

    def joined(self, names: Sequence[str], word: str = "or") -> str:
        """Return names in a row: "car, bus or train"."""
        if len(names) == 1:
            return names[0]
        return self.say(word, before=", ".join(names[:-1]), last=names[-1])

    def number(self, value: float) -> str:
        """Return a number with the decimal sign of the language."""
        return number_label(value).replace(".", self._words["decimal"])

    def interval(self, domain: NumericDomain, low: float | None, high: float | None) -> str:
        """Return the numbers of a domain from `low` to below `high`; None is no end.

        Parameters
        ----------
        domain : NumericDomain
        low, high : float or None
        """
        if low is None and high is None:
            return self.say("all")
        if domain.unit is not None:
            return self._moments(domain.unit, low, high)
        first = domain.low if low is None else low
        last = domain.high if high is None else high - 1
        if domain.integer and first == last:
            return self.number(first)
        if low is None:
            return self.say("under", high=self.number(high or 0.0))
        if high is None:
            return self.say("over", low=self.number(low))
        if not domain.integer:
            return self.say("to_under", low=self.number(low), high=self.number(high))
        word = "between" if low >= 0 else "between_negative"
        return self.say(word, low=self.number(low), last=self.number(last))

    def _moments(self, unit: str, low: float | None, high: float | None) -> str:
        if low is None:
            return self.say("before", high=self._start(unit, high or 0.0))
        if high is None:
            return self.say("after", low=self._start(unit, low))
        if unit == "time":
            ends = [self._start(unit, end) for end in (low, high - 1)]
            return "–".join(dict.fromkeys(ends))
        first, last = date_of(low), date_of(high - 1)
        if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
            return "–".join(dict.fromkeys([str(first.year), str(last.year)]))
        months = first.day == 1 and last.day == monthrange(last.year, last.month)[1]
        texts = [self._date(day, "month" if months else "day") for day in (first, last)]
        if texts[0] == texts[1]:
            return texts[0]
        return self.say("moments", low=texts[0], last=texts[1])

    def _start(self, unit: str, value: float) -> str:
        """The moment at which a range begins, as shortly as it is exact."""
        if unit == "time":
            return time_of(value).isoformat("minutes")
        day = date_of(value)
        if day.day > 1:
            return self._date(day, "day")
        return str(day.year) if day.month == 1 else self._date(day, "month")

    def _date(self, day: Any, word: str) -> str:
        return self.say(word, day=day.day, month=self._months[day.month - 1], year=day.year)


@cache
def _known(language: str) -> Language:
    folder = files("sparsam.collect.form") / "languages"
    codes = sorted(file.name.removesuffix(".toml") for file in folder.iterdir())
    if language not in codes:
        listed = ", ".join(codes)
        msg = (
            f"The 'language' must be one of {listed}, or a file of words such as 'pl.toml'. "
            f"Got {language!r} instead."
        )
        raise ParameterError(msg)
    return Language(language, *_read((folder / f"{language}.toml").read_bytes()))


def _read(text: bytes) -> tuple[dict[str, str], tuple[str, ...]]:
    words: dict[str, Any] = parse_toml(text, "A file of words (TOML)")
    months = words.pop(_MONTHS, None)
    if not isinstance(months, list) or [type(month) for month in months] != [str] * 12:
        raise DocumentError("The twelve months were expected.", f"$.{_MONTHS}")
    for word, written in words.items():
        _check_word(word, written)
    absent = sorted(_places().keys() - words.keys())
    if absent:
        raise DocumentError(f"Every word must be there. Absent: {', '.join(absent)}.")
    return words, tuple(months)


@cache
def _places() -> dict[str, frozenset[str]]:
    """Every word, and the places in it that are filled in."""
    text = (files("sparsam.collect.form") / "languages" / "en.toml").read_bytes()
    words = parse_toml(text, "A file of words (TOML)")
    return {
        word: frozenset(_PLACE.findall(written))
        for word, written in words.items()
        if word != _MONTHS
    }


def _check_word(word: str, text: object) -> None:
    """Raise for a word that no page has, or that lost a place to be filled in."""
    if word not in _places():
        raise DocumentError(f"No page has such a word. Known: {', '.join(_places())}.", f"$.{word}")
    if not isinstance(text, str) or frozenset(_PLACE.findall(text)) != _places()[word]:
        places = ", ".join(f"{{{place}}}" for place in sorted(_places()[word]))
        needed = f" with {places} in it" if places else " without anything in braces"
        raise DocumentError(f"A text{needed} was expected.", f"$.{word}")
    if word == "direction" and text not in ("ltr", "rtl"):
        raise DocumentError("'ltr' or 'rtl' was expected.", f"$.{word}")
