"""The words of a page, in every language."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsam
from sparsam._errors import DocumentError, ParameterError
from sparsam.collect.form._language import Language
from sparsam.data import NumericDomain
from sparsam.generalization import numeric_labels

CODES = ("de", "en", "es", "fr", "it")
BIRTHS = NumericDomain("1931-01-01", "2009-12-31", unit="date")
TIMES = NumericDomain("06:00", "22:00", unit="time")
DOMAINS = (
    NumericDomain(-9, 99, integer=True),
    NumericDomain(0, 3, integer=True),
    NumericDomain(-1.5, 99),
    BIRTHS,
    TIMES,
)


@pytest.mark.parametrize("code", CODES)
def test_every_language_has_every_word(code: str) -> None:
    language = Language.of(code)
    assert language.code == code
    assert language.words.keys() == Language.of("en").words.keys()
    if code != "en":
        same = {w for w, text in language.words.items() if text == Language.of("en").words[w]}
        assert same <= {"direction", "between", "moments", "decimal", "day", "month", "false"}


@given(st.sampled_from(DOMAINS), st.data())
def test_english_says_what_labels_say(domain: NumericDomain, data: st.DataObject) -> None:
    numbers = st.integers(int(domain.low) + 1, int(domain.high))
    cuts = sorted(data.draw(st.sets(numbers, min_size=1, max_size=4)))
    edges = [None, *map(float, cuts), None]
    words = [Language.of("en").interval(domain, low, high) for low, high in pairwise(edges)]
    assert words == numeric_labels(domain, cuts)


def test_numbers_and_dates_are_written_as_people_write_them() -> None:
    german, french = Language.of("de"), Language.of("fr")
    assert german.interval(NumericDomain(0, 9), 1.5, 2) == "1,5 bis unter 2"
    assert german.interval(NumericDomain(0, 9), None, None) == "jeder Wert"
    day = BIRTHS.number
    first, last = day("1962-03-04"), day("1962-03-05")
    assert german.interval(BIRTHS, first, last) == "4. März 1962"
    assert french.interval(BIRTHS, day("1962-03-01"), day("1963-01-01")) == (
        "mars 1962 – décembre 1962"
    )
    assert Language.of("es").interval(BIRTHS, day("1962-03-02"), None) == (
        "2 de marzo de 1962 y después"
    )


def test_names_in_a_row() -> None:
    english = Language.of("en")
    assert english.joined(["car"]) == "car"
    assert english.joined(["car", "bus", "tram"]) == "car, bus or tram"


def test_words_can_be_replaced_and_keep_their_places() -> None:
    polite = Language.of("en").with_words({"send": "Send, please"})
    assert polite.say("send") == "Send, please"
    assert Language.of("en").say("send") == "Send"
    for words in (
        {"sendd": "x"},
        {"send": 3},
        {"under": "less than that"},
        {"send": "{__class__}"},
        {"direction": "up"},
    ):
        with pytest.raises(DocumentError):
            Language.of("en").with_words(words)  # type: ignore[arg-type]


def test_a_file_of_words(tmp_path: Path) -> None:
    folder = Path(sparsam.__file__).parent / "collect" / "form" / "languages"
    text = (folder / "en.toml").read_text(encoding="utf-8")
    file = tmp_path / "rm.toml"
    file.write_text(text.replace('send = "Send"', 'send = "Trametter"'), encoding="utf-8")
    romansh = Language.of(str(file))
    assert (romansh.code, romansh.say("send")) == ("rm", "Trametter")
    for damaged in (
        text.replace("send =", "sand ="),
        text.replace('"January", ', ""),
        "\n".join(line for line in text.splitlines() if not line.startswith("send")),
        "[",
    ):
        file.write_text(damaged, encoding="utf-8")
        with pytest.raises(DocumentError) as caught:
            Language.of(str(file))
        assert "rm.toml" in caught.value.__notes__[0]
    (tmp_path / "my words.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match="named after its language"):
        Language.of(str(tmp_path / "my words.toml"))


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(ParameterError, match="'None'"):
        Language.of(None)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"one of de, en, es, fr, it.*'xx'"):
        Language.of("xx")
