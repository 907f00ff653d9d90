"""The form: one page that asks for what is collected, and cannot send anything finer."""

from __future__ import annotations

import functools
import os
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from sparsam._errors import ParameterError, SparsamWarning
from sparsam._writing import write_text
from sparsam.collect._automaton import Automaton
from sparsam.collect._questionnaire import Questionnaire
from sparsam.collect._runs import runs
from sparsam.collect.form._labels import AttributeLabels, Labels
from sparsam.collect.form._language import Language
from sparsam.collect.form._page import Page
from sparsam.collect.form._questions import (
    Option,
    Question,
    Wording,
    asked,
    check_sendable,
)
from sparsam.data import Category
from sparsam.generalization import Generalization, category_label

if TYPE_CHECKING:
    from sparsam.collect._answer_table import AnswerTable
    from sparsam.collect._target import Target

_SERVER: Final = re.compile(
    r"(?P<origin>(?P<scheme>https?)://(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?)"
    r"(/[!-~]*)?"
)
_PATH: Final = re.compile(r"(?!//)(?![^/?]*:)[!-~]+")
_HERE: Final = ("localhost", "127.0.0.1", "[::1]")
_MOST_BYTES: Final = 12_000
_ALWAYS_LINES: Final = 3  # so few answers gain nothing as a list


class Form:
    """A page on which people answer in buckets, and which can send nothing finer.

    One static HTML file without any dependency. The value of each answer is the number of its
    bucket, with or without JavaScript; what is typed to find the right line has no name and is
    never sent. A content security policy forbids the page to load anything, and to send to any
    place but one; it keeps no cookie and no storage, and tells no referrer.

    A questionnaire is compiled into the page: each answer decides there what is asked next, and
    all answers are sent at once, at the end. `collector` takes them, and `Questionnaire.resume`
    reads them elsewhere. Without JavaScript the page asks everything that the questionnaire could
    ask.

    A question has a line to mark for each answer, or a list to pick from where the answers are more
    than twelve. Where a page would be larger than 12 kB, further questions become lists, those with
    the most answers first, until it is not; three answers or fewer stay lines, unless they stand
    for more categories than they name.

    Parameters
    ----------
    source : Generalization or Questionnaire
        What is collected. Attributes that are not collected are not asked for.
    action : str or None, default="/records"
        Where the answers are sent: a path on the server that serves the page, or an address. None
        sends nothing: the page shows what the model answers.
    language : str, default="en"
        One of "de", "en", "es", "fr" and "it", or the path of a TOML file with all words.
    labels : mapping, path or None, default=None
        The page in your own words, as plain data or as a TOML file: a text is a word of the page,
        such as `title` or `introduction`; a table is an attribute, with `question`, `help`,
        `buckets` (by label, or a list) and `members` (by category).
    target : Target or None, default=None
        What a model is to learn, to be asked for too.
    answers : AnswerTable or None, default=None
        The model's answers: the page then shows them, and sends nothing.

    Attributes
    ----------
    html : str
        The page.
    content_security_policy : str
        The page's policy, to be sent as a header too.
    questions : tuple of Question
        All that can be asked.

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import Generalization, numeric_partition
    >>> age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])
    >>> form = Form(Generalization([age]), labels={"age": {"question": "How old are you?"}})
    >>> "How old are you?" in form.html and "value=2" in form.html
    True
    """

    html: str
    content_security_policy: str
    questions: tuple[Question, ...]

    def __init__(
        self,
        source: Generalization | Questionnaire,
        *,
        action: str | None = "/records",
        language: str = "en",
        labels: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        target: Target | None = None,
        answers: AnswerTable | None = None,
    ) -> None:
        action = action if answers is None else None
        destination = _destination(action)
        asks = source if isinstance(source, Questionnaire) else None
        g = source.recoding.generalization if isinstance(source, Questionnaire) else source
        _check_target(g, target, sends=action is not None)
        wording = _Words(g, Labels.of(labels), language, target)
        automaton = None
        if asks is not None:
            automaton = asks.automaton
            if action is None:
                automaton = Automaton.of(asks, predicts=True, answers=answers)
            too = () if target is None else (target.name,)
            self.questions = wording.questions(automaton.names, (*automaton.names, *too))
            if target is not None:
                automaton = automaton.followed_by(target.name, len(target.classes))
        else:
            if action is None and answers is None:
                raise ParameterError(
                    "A form that sends nothing shows the model's answer. Give 'answers' too."
                )
            self.questions = wording.questions(g.collected)
        if not self.questions:
            raise ParameterError("There is nothing to ask for: no attribute is collected.")
        write = functools.partial(
            Page,
            wording.language,
            action=action,
            destination=destination,
            walk=None if automaton is None else wording.walk(automaton, self.questions),
            answers=None if answers is None or asks else wording.table(g, answers),
        )
        page = write(self.questions)
        if automaton is None:
            page = self._smaller(page, wording, write)
        self.html, self.content_security_policy = page.html, page.policy

    def _smaller(self, page: Page, wording: _Words, write: Callable[..., Page]) -> Page:
        """Turn questions into lists until the page is small enough, or as small as it can be."""
        names = [question.name for question in self.questions]
        longest = sorted(self.questions, key=lambda question: -len(question.options))
        listed: list[str] = []
        for question in longest:
            if page.size <= _MOST_BYTES:
                break
            if len(question.options) <= _ALWAYS_LINES and not question.findable:
                continue
            questions = wording.questions(names, [*listed, question.name])
            shorter = write(questions)
            if shorter.size < page.size:
                listed.append(question.name)
                page, self.questions = shorter, questions
        return page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or Path
        """
        write_text(path, self.html)

    def __repr__(self) -> str:
        lines = sum(len(question.options) for question in self.questions)
        size = len(self.html.encode())
        return f"<Form: {len(self.questions)} questions, {lines} answers, {size:,} bytes>"


class _Words:
    """Everything that a page says about a generalization.

    Parameters
    ----------
    generalization : Generalization
    labels : Labels
    language : str
    target : Target or None
    """

    def __init__(
        self, generalization: Generalization, labels: Labels, language: str, target: Target | None
    ) -> None:
        self.language = Language.of(language).with_words(labels.words)
        self._generalization = generalization
        self._labels = labels
        self._target = target
        self._learned = target.name if target is not None else generalization.about.get("target")
        labels.check_names({*generalization.names, str(self._learned)})

    def _of(self, name: str) -> AttributeLabels:
        return self._labels.attributes.get(name, AttributeLabels())

    def _wording(self, name: str) -> Wording:
        return Wording(self._generalization[name], self.language, self._of(name))

    def questions(
        self, names: Collection[str], listed: Collection[str] = ()
    ) -> tuple[Question, ...]:
        """All that is asked for, in the order of the generalization; the target comes last.

        Parameters
        ----------
        names : collection of str
            The attributes to ask for.
        listed : collection of str, default=()
            Those whose answers are a list to pick from though they are few.
        """
        questions = [
            self._wording(name).question(listed=name in listed)
            for name in self._generalization.names
            if name in names
        ]
        if self._target is not None:
            questions.append(self._asked_too(self._target, listed=self._target.name in listed))
        return tuple(questions)

    def _asked_too(self, target: Target, *, listed: bool) -> Question:
        check_sendable(target.name)
        own = self._of(target.name)
        said = own.of_buckets(target.name, target.classes)
        labels = [said.get(place, label) for place, label in enumerate(target.classes)]
        options = tuple(Option(str(place), label) for place, label in enumerate(labels))
        picks = options if listed else ()
        return Question(target.name, own.question or asked(target.name), own.help, options, picks)

    def walk(self, automaton: Automaton, questions: tuple[Question, ...]) -> list[Any]:
        """What the page's script walks through: nodes, labels, ends and a few words.

        A node is a text such as ``3:7,,-1:0-2.5 3-4``: question 3, where each answer leads, below
        zero an end, and the answers that stand for several buckets; every other bucket is one by
        itself. What is left out leads where the one before it does. The labels are those that the
        page cannot put together from its lines.
        """
        place = {question.name: i for i, question in enumerate(questions)}
        menus: list[list[tuple[tuple[int, ...], ...]]] = [[] for _ in questions]
        nodes: list[str] = []
        for name, ways in automaton.nodes:
            question, classes = place[name], tuple(buckets for buckets, _ in ways)
            menus[question].append(classes)
            several = " ".join(runs(buckets) for buckets in classes if len(buckets) > 1)
            leads = f"{question}:{_nexts([after for _, after in ways])}"
            nodes.append(f"{leads}:{several}" if several else leads)
        labels = [
            _unsaid(question, self._wording(question.name).labels(offered))
            if question.name in self._generalization.collected
            else {}
            for question, offered in zip(questions, menus, strict=True)
        ]
        ends = [None if end is None else self._answer(end) for end in automaton.ends]
        words = [self.language.words[word] for word in ("or", "more", "members")]
        return [";".join(nodes), labels, ends, *words]

    def table(self, generalization: Generalization, answers: AnswerTable) -> dict[str, Any]:
        """What the page's script looks the answer up in."""
        if answers.names != generalization.collected:
            raise ParameterError("The table of answers belongs to another generalization.")
        table = dict(answers.to_dict())
        return table | {"classes": [self._answer(answer) for answer in answers.classes]}

    def _answer(self, answer: Category) -> str:
        """What the model answers, in words."""
        text = category_label(answer)
        own = self._of(str(self._learned)).buckets
        if isinstance(own, dict) and text in own:
            return own[text]
        return self.language.say(text) if isinstance(answer, bool) else text


def _nexts(after: list[int]) -> str:
    """Write where the answers lead.

    Examples
    --------
    >>> _nexts([3, 3, 5, -1, -1])
    '3,,5,-1'
    """
    pairs = zip(after, [None, *after], strict=False)
    return ",".join("" if next == before else str(next) for next, before in pairs).rstrip(",")


def _unsaid(question: Question, labels: dict[str, str]) -> dict[str, str]:
    """Leave out the labels that the first line of the page with the value says already."""
    said = {option.value: option.label for option in reversed(question.picks)}
    return {value: label for value, label in labels.items() if said.get(value) != label}


def _check_target(g: Generalization, target: Target | None, *, sends: bool) -> None:
    if target is None:
        return
    if not sends:
        msg = "The 'target' is what a model is to learn: only a form that is sent asks for it."
        raise ParameterError(msg)
    target.check(g)


def _destination(action: str | None) -> str:
    """What the policy allows a form to be sent to."""
    if action is None:
        return "'none'"
    server = _SERVER.fullmatch(action)
    if server is not None:
        if server["scheme"] == "http" and server["host"] not in _HERE:
            warnings.warn(
                f"The answers are sent without encryption to {server['origin']}. Use https.",
                SparsamWarning,
                stacklevel=3,
            )
        return server["origin"]
    if not _PATH.fullmatch(action):
        msg = (
            "The 'action' of a form must be a path such as '/records' or an address that begins "
            "with https:// (or http://), without blanks."
        )
        raise ParameterError(msg)
    return "'self'"
