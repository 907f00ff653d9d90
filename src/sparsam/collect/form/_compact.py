"""Our own scripts and styles as a page holds them: without what only their readers need."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from string import ascii_letters
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<remark>//[^\n]*)
      | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)
      | (?P<blank>\s+)
      | (?P<word>[\w$]+)
      | (?P<sign>\.{3}|\?\.|=>|.)""",
    re.VERBOSE,
)
_PATTERN: Final = re.compile(r"/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_BEFORE_PATTERN: Final = frozenset("(,=:[!&|?{};>")
_GOES_ON: Final = frozenset("{}([,;=>?:&|+-*/<.!%")
_GO_ON: Final = frozenset("})],;=>?:&|+*/<.%")
_RESERVED: Final = frozenset(("as", "do", "if", "in", "of"))  # words as short as our names
_OPENS: Final = {")": "(", "]": "[", "}": "{"}
_LOOSE: Final = re.compile(r"\s*([{};,>])\s*|(?<=:)\s+|(?<=[ :(])0(?=\.\d)")
_PROPERTY: Final = re.compile(r"--[a-z]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a script.

    Parameters
    ----------
    kind : {"remark", "text", "pattern", "blank", "word", "sign"}
    text : str
    """

    kind: str
    text: str

    @property
    def counts(self) -> bool:
        """Whether it is there for the browser, not only for a reader."""
        return self.kind not in ("remark", "blank")


_BLANK: Final = Token("blank", " ")


@functools.cache
def compact_script(code: str) -> str:
    """Return JavaScript without remarks, blanks, long names and signs that may be left out.

    It knows as much of the language as our own scripts use: statements end with a semicolon, none
    is empty, and templates hold no other ones.

    Parameters
    ----------
    code : str

    Examples
    --------
    >>> compact_script("const say = (word) => {\\n  show.text = `${word} `; // aloud\\n};")
    'const a=word=>{show.text=`${word} `};'
    """
    pieces = list(tokens(code))
    names = _short_names([piece for piece in pieces if piece.counts])
    parts: list[str] = []
    before, blank = ";", ""
    for piece in spared(pieces):
        if not piece.counts:
            blank += piece.text
            continue
        if blank and parts:
            parts.append(_needed(before[-1], piece.text[0], newline="\n" in blank))
        parts.append(names.get(piece.text, piece.text) if piece.kind == "word" else piece.text)
        before, blank = piece.text, ""
    return "".join(parts)


def tokens(code: str) -> Iterator[Token]:
    """Yield what a script consists of."""
    place, before = 0, ";"
    while place < len(code):
        pattern = _PATTERN.match(code, place) if before[-1] in _BEFORE_PATTERN else None
        match = pattern or _TOKEN.match(code, place)
        assert match is not None
        token = Token("pattern" if pattern else str(match.lastgroup), match[0])
        yield token
        place = match.end()
        before = token.text if token.counts else before


def spared(pieces: Sequence[Token]) -> list[Token]:
    """Return a script without signs that the language does not ask for.

    These are semicolons before a closing brace, brackets around a parameter alone, and the word
    const where the statement before declares something too.

    Examples
    --------
    >>> code = "const a = (b) => { c(); }; const d = 1;"
    >>> "".join(piece.text for piece in spared(list(tokens(code))))
    'const a =  b  => { c()  }, d = 1;'
    """
    lean = list(pieces)
    places = [place for place, piece in enumerate(pieces) if piece.counts]
    texts = [pieces[place].text for place in places]
    declares = [False]  # for each bracket that is open whether the statement in it declares
    for i, text in enumerate(texts):
        if text in _OPENS.values():
            declares.append(False)
        elif text in _OPENS:
            declares.pop()
        elif text in ("const", "let"):
            declares[-1] = text == "const"
        if text == ";" and texts[i + 1 : i + 2] == ["}"]:
            lean[places[i]] = _BLANK
        elif text == ";" and declares[-1] and texts[i + 1 : i + 2] == ["const"]:
            lean[places[i]] = Token("sign", ",")
            lean[places[i + 1]] = _BLANK
        elif text == ";":
            declares[-1] = False
        alone = pieces[places[i]].kind == "word" and texts[i + 1 : i + 3] == [")", "=>"]
        if alone and i and texts[i - 1] == "(":
            lean[places[i - 1]] = lean[places[i + 1]] = _BLANK
    return lean


def _needed(before: str, after: str, *, newline: bool) -> str:
    """What has to stay between two tokens that were apart."""
    if newline and before not in _GOES_ON and after not in _GO_ON:
        return "\n"
    words = _is_word(before) and _is_word(after)
    return " " if words or (before == after and before in "+-") else ""


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in "_$"


def _short_names(pieces: Sequence[Token]) -> dict[str, str]:
    """Find the names that a script gives itself and that nothing else can know, and shorten them.

    A name that is, or might be, a property of something somewhere keeps its length everywhere.
    """
    words = Counter(piece.text for piece in pieces if piece.kind == "word")
    inside = {
        word
        for piece in pieces
        if piece.kind == "text" and piece.text[0] == "`"
        for word in re.findall(r"[\w$]+", piece.text)
    }
    own = _declared(pieces) - _properties(pieces) - inside
    used = words.keys() | inside | _RESERVED
    letters = ("".join(name) for n in (1, 2) for name in product(ascii_letters, repeat=n))
    short = (name for name in letters if name not in used)
    commonest = sorted(own, key=lambda word: (-words[word], word))
    return {word: next(short) for word in commonest if len(word) > 1}


def _declared(pieces: Sequence[Token]) -> set[str]:
    """The names after const, let and function, and those of parameters."""
    names: set[str] = set()
    opened: list[int] = []
    for place, piece in enumerate(pieces):
        before = pieces[place - 1].text if place else ""
        if before in ("const", "let", "function") and piece.kind == "word":
            names.add(piece.text)
        if piece.text in _OPENS.values():
            opened.append(place)
        elif piece.text in _OPENS:
            start = opened.pop()
            pattern = start and pieces[start - 1].text in ("const", "let") and piece.text == "]"
            arrow = piece.text == ")" and _text(pieces, place + 1) == "=>"
            function = piece.text == ")" and _text(pieces, start - 2) == "function"
            if pattern or arrow or function:
                names |= _listed(pieces[start:place])
    return {name for name in names if not name[0].isdigit()}


def _listed(pieces: Sequence[Token]) -> set[str]:
    """The names in a list of parameters, without what they are set to by default."""
    pairs = pairwise(pieces)
    return {after.text for before, after in pairs if after.kind == "word" and before.text != "="}


def _properties(pieces: Sequence[Token]) -> set[str]:
    """The names that follow a dot, or stand in braces as the members of an object do."""
    names: set[str] = set()
    opened: list[str] = []
    for place, piece in enumerate(pieces):
        before, after = _text(pieces, place - 1), _text(pieces, place + 1)
        if piece.text in _OPENS.values():
            opened.append(piece.text)
        elif piece.text in _OPENS:
            opened.pop()
        elif piece.kind == "word":
            member = opened[-1:] == ["{"] and (
                after == ":" or (before in ("{", ",") and after in (",", "}", "="))
            )
            if before in (".", "?.") or member:
                names.add(piece.text)
    return names


def _text(pieces: Sequence[Token], place: int) -> str:
    return pieces[place].text if 0 <= place < len(pieces) else ""


@functools.cache
def compact_style(code: str) -> str:
    """Return a style sheet without blanks that mean nothing, and with short names of its own.

    Parameters
    ----------
    code : str

    Examples
    --------
    >>> compact_style("p > b, i {\\n  --room: 0.5rem;\\n  margin: 0 var(--room);\\n}\\n")
    'p>b,i{--a:.5rem;margin:0 var(--a)}'
    """
    packed = _LOOSE.sub(lambda part: part[1] or "", code).replace(";}", "}").strip()
    own = dict.fromkeys(_PROPERTY.findall(packed))
    short = dict(zip(own, ascii_letters, strict=False))
    return _PROPERTY.sub(lambda name: f"--{short.get(name[0], name[0][2:])}", packed)
