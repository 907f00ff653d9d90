"""The body of a request as a finished interview, or the reasons why it is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sparsam.collect._interviews import Interviews, Unfinished
from sparsam.collect._target import Target
from sparsam.collect.door._record import (
    REFUSED,
    UNKNOWN,
    Refused,
    as_number,
    form_pairs,
    json_pairs,
)

_MOST_LISTED: Final = 12


class InterviewShape:
    """What a finished interview must look like: the answers to what it asked, and to nothing else.

    Parameters
    ----------
    interviews : Interviews
    target : Target or None, default=None
        One more answer.
    """

    def __init__(self, interviews: Interviews, target: Target | None = None) -> None:
        self._interviews = interviews
        self._target = target
        self._names = frozenset(interviews.names)
        names = (*interviews.names, *([] if target is None else [target.name]))
        # every name percent-encoded, every answer, and what stands between them
        self.longest = sum(3 * len(name.encode()) + 6 for name in names) + interviews.longest

    def from_json(self, body: bytes) -> tuple[int, ...]:
        """Read an interview from JSON such as ``{"age": "1-3", "sex": 0}``.

        One bucket is a whole number, several are a text, as they are offered.

        Parameters
        ----------
        body : bytes

        Raises
        ------
        Refused
        """
        return self._codes((name, _sent(value)) for name, value in json_pairs(body))

    def from_form(self, body: bytes) -> tuple[int, ...]:
        """Read an interview from a form such as ``age=1-3&sex=0``, as its page sends it.

        Without scripts the page asks everything that could be asked, in single buckets. Then what
        the interview would not have asked for is let go here, before anything is kept.

        Parameters
        ----------
        body : bytes

        Raises
        ------
        Refused
        """
        return self._codes(form_pairs(body), whole=True)

    def _codes(self, pairs: Iterable[tuple[str, str]], *, whole: bool = False) -> tuple[int, ...]:
        answers: dict[str, str] = {}
        twice: set[str] = set()
        unknown = False
        for name, text in pairs:
            if name not in self._names and (self._target is None or name != self._target.name):
                unknown = True
            elif name in answers:
                twice.add(name)
            else:
                answers[name] = text
        wrong = dict.fromkeys(twice, "must come once")
        codes = self._target_code(answers, wrong)
        if not (unknown or twice):
            try:
                codes = (self._number(answers, whole=whole), *codes)
            except Unfinished as unfinished:
                wrong[unfinished.name] = _allowed(unfinished.offered)
        if unknown or wrong:
            raise Refused(422, f"{REFUSED} {UNKNOWN}" if unknown else REFUSED, self._sorted(wrong))
        return codes

    def _target_code(self, answers: dict[str, str], wrong: dict[str, str]) -> tuple[int, ...]:
        """Take the target from the answers; it is asked for in every interview."""
        if self._target is None:
            return ()
        code, size = as_number(answers.pop(self._target.name, "")), len(self._target.classes)
        if code is None or code >= size:
            wrong[self._target.name] = f"must come once, as a whole number from 0 to {size - 1}"
            return ()
        return (code,)

    def _number(self, answers: Mapping[str, str], *, whole: bool) -> int:
        buckets = {name: as_number(text) for name, text in answers.items()}
        if whole and buckets.keys() == self._names and None not in buckets.values():
            return self._interviews.reduced({n: b for n, b in buckets.items() if b is not None})
        return self._interviews.number(answers)

    def _sorted(self, wrong: Mapping[str, str]) -> dict[str, str]:
        """Put what is wrong in our own order."""
        names = (*self._interviews.names, *([self._target.name] if self._target else ()))
        return {name: wrong[name] for name in names if name in wrong}


def _sent(value: Any) -> str:
    """Write a value of JSON as a page sends it; nothing where it is not written in the one way."""
    if type(value) is int:
        return str(value)
    return value if isinstance(value, str) and as_number(value) is None else ""


def _allowed(offered: tuple[str, ...]) -> str:
    if not offered:
        return "must not come: these answers leave nothing to ask about it"
    if len(offered) > _MOST_LISTED:
        return f"must come once, as one of the {len(offered)} answers that /schema offers here"
    return f"must come once, as one of {', '.join(offered)}"
