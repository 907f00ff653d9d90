"""When, by whom and what for a report was made."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from sparsam._errors import ParameterError
from sparsam.assess import Choice
from sparsam.report import report_on
from sparsam.report._made import EPOCH, day_of, made_data, made_words
from sparsam.report.page._blocks import plain_words


def test_a_day_is_written_as_it_is_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert day_of("2026-11-16") == day_of(date(2026, 11, 16)) == "2026-11-16"
    assert day_of(datetime(2026, 11, 16, 23, 59, tzinfo=UTC)) == "2026-11-16"
    monkeypatch.setenv(EPOCH, "86400")
    assert day_of() == "1970-01-02"
    assert day_of("2026-11-16") == "2026-11-16"
    monkeypatch.delenv(EPOCH)
    before = datetime.now(UTC).date()
    assert before <= date.fromisoformat(day_of()) <= datetime.now(UTC).date()


@pytest.mark.parametrize("wrong", ["yesterday", "16.11.2026", "2026-13-01", "", 20261116])
def test_what_is_no_day_is_refused(wrong: object) -> None:
    with pytest.raises(ParameterError, match="must be a day such as"):
        day_of(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["now", "1e9", "9" * 30])
def test_an_epoch_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv(EPOCH, wrong)
    with pytest.raises(ParameterError, match="whole seconds"):
        day_of()


def test_only_what_is_known_is_said() -> None:
    assert made_words(None) == ""
    assert plain_words(made_words(made_data(day="2026-11-16"))) == "2026-11-16"
    assert plain_words(made_words(made_data("", "the audit", "2026-11-16"))) == (
        "2026-11-16 · for the audit"
    )


def test_the_head_of_every_rendering_has_it(choice: Choice) -> None:
    report = report_on(choice, author="<b>Ada</b>", purpose="the *audit*", date="2026-11-16")
    assert report.to_dict()["made"] == {
        "date": "2026-11-16",
        "author": "<b>Ada</b>",
        "purpose": "the *audit*",
    }
    page, text = report.to_html(), report.to_markdown()
    head = page[page.index("<h1>") : page.index("</header>")]
    assert "2026-11-16 · by <bdi>&lt;b&gt;Ada&lt;/b&gt;</bdi> · for <bdi>the *audit*</bdi>" in head
    assert text.splitlines()[2] == r"2026-11-16 · by &lt;b&gt;Ada&lt;/b&gt; · for the \*audit\*"
    first = report.to_terminal().splitlines()[0]
    assert first.endswith(" · 2026-11-16 · by <b>Ada</b> · for the *audit*")
    assert "2026-11-16 · by <bdi>&lt;b&gt;Ada" in report._repr_html_()
    assert report_on(choice, date="2026-11-16").to_html() != page
    again = report_on(choice, author="<b>Ada</b>", purpose="the *audit*", date="2026-11-16")
    assert again.to_html() == page
