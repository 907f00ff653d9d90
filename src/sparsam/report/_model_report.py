"""The report on what a model that already runs needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from sparsam._errors import ParameterError
from sparsam._small_counts import suppress
from sparsam.assess import ModelAssessment
from sparsam.generalization import Generalization
from sparsam.report._closing import (
    MEANING,
    input_data,
    meaning_section,
    reproduce_section,
    versions,
)
from sparsam.report._collected import attribute_data, attribute_row, spared_box
from sparsam.report._document import Document, plain
from sparsam.report._made import Day, made_data
from sparsam.report._words import (
    NOTHING,
    THIN,
    counted,
    interval_words,
    percent,
    plain_number,
    range_words,
    score_words,
    short_percent,
    target_words,
    telling,
    whole,
)
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Column,
    Columns,
    Figure,
    Fold,
    Items,
    KeyFigure,
    Notice,
    Page,
    Row,
    Section,
    Table,
    Text,
    Verdict,
    Words,
    name,
    names,
    number,
    strong,
)
from sparsam.report.pictures._model import curve_figure

_SAMPLE = next(item for item in MEANING if "full resolution" in item["heading"])

_MEANING = (
    {
        "heading": "Kept answers are the model’s own, not the right ones",
        "text": "Relative accuracy compares the model with itself. A model that is wrong or unfair "
        "stays so in the same way; whether it should answer at all is another question.",
    },
    {
        "heading": "What this model needs is not what the purpose needs",
        "text": "Another model, trained on the ranges for instance, may need less. That a model "
        "uses an attribute is no reason in law to collect it.",
    },
    {
        "heading": "Information loss is not privacy",
        "text": "It measures the detail that is given up. What someone can still work out from the "
        "rest is measured by attacking it: sparsam attack does.",
    },
    {
        "heading": "Disclosure risk is counted in this sample",
        "text": "It asks how many of these people share a record, and falls by itself when there "
        "are more of them. It says nothing about someone who knows only some of the attributes, or "
        "more than these.",
    },
    {
        "heading": "An average can hide a group",
        "text": "The answers that change are not spread evenly over people. A target that must "
        "hold for each answer, or in each group that the model treats alike, says more "
        "(--kept-in each-answer, --kept-in each-cell).",
    },
    {
        "heading": "The interval covers chance, not change",
        "text": "Intervals say how far a figure may move with another random sample of the same "
        "size. They do not cover other people than these, a later year or a new version of the "
        "model: measure again before you rely on it.",
    },
    _SAMPLE,
)

_SEARCHES = {
    "responses": "Values for which the model answers alike were put together, in both directions: "
    "merging while there was room, taking back what cost most.",
    "paper": "A decision tree on the model’s answers gave the ranges (Goldsteen et al. 2021): it "
    "was pruned level by level while there was room, and attributes were given back by the lowest "
    "information loss per accuracy gained while there was none.",
}
_MISSED = Notice(
    (
        strong("✗ Target missed."),
        " Do not rely on these ranges for that target: lower the target, or give the search more "
        "people.",
    ),
    "missed",
)
_TOO_FEW = Notice(
    (
        strong("Too few people to tell."),
        " What is asked for may be kept, but these people cannot show it: give more of them, or "
        "ask for less.",
    ),
    "missed",
)
_KEPT = (
    "held_out",
    "chosen_on",
    "worst_cell",
    "kept_in",
    "per_answer",
    "n_rarer_answers",
    "target",
    "each_target",
    "met",
    "proof",
    "shortfall",
    "null_accuracy",
)
_LITTLE = 0.05  # information loss that spares people next to nothing
_MOST_ANSWERS = 5  # that a table names, the rarest

Data = Mapping[str, Any]


class Questions(Protocol):
    """What a questionnaire asks of people, against a form that asks everyone for everything."""

    @property
    def mean(self) -> float:
        """Questions a person is asked on average."""

    @property
    def saved(self) -> float:
        """The share of the form's questions that are not asked."""

    @property
    def form(self) -> int:
        """Questions of the form."""

    @property
    def per_attribute(self) -> Mapping[str, float]:
        """The share of people who are asked for each attribute."""


class ModelReport(Document[dict[str, Any]]):
    """What a model needs and keeps, to read, to print and to file.

    Counts of fewer than five people are replaced by words before anything is written, in the plain
    data too.

    Parameters
    ----------
    data : dict
        What was measured, as plain values.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(_publishable(data))

    def page(self) -> Page:
        """Return the report as a page; a missed target comes first."""
        data = self._data
        spared = list(spared_box(data["collected"]["attributes"], "Do not collect"))
        sections = [
            Section("collect", "What to collect", (*_collect(data), *spared)),
            Section("kept", "What the model keeps", tuple(_kept_blocks(data))),
            Section("stored", "Who can still be told apart", (_stored_text(data), _stored(data))),
        ]
        if data["questions"]:
            asked = (_asked_text(data["questions"]), _asked(data["questions"]))
            sections.append(Section("asked", "What a person is asked", asked))
        sections += [
            Section("method", "How it was done", (Items(tuple(data["method"])),)),
            meaning_section(data["meaning"]),
            reproduce_section(
                data["reproduce"], "The same command on the same files gives the same report."
            ),
        ]
        return Page(
            title=data["title"],
            verdict=_verdict(data),
            figures=(
                _attributes_figure(data),
                _answers_figure(data),
                _loss_figure(data),
                _questions_figure(data["questions"]) or _stored_figure(data),
            ),
            notices=tuple(_notices(data)),
            sections=tuple(sections),
            brief=tuple(_brief(data)),
            saved_as="model.html",
        )

    def __repr__(self) -> str:
        return f"<ModelReport {self._data['title']!r}: {_verdict(self._data).needs}>"


def model_report(
    assessment: ModelAssessment,
    generalization: Generalization,
    questions: Questions | None = None,
    *,
    title: str | None = None,
    source: str = "table",
    rows: int | None = None,
    command: str | None = None,
    facts: Mapping[str, Any] | None = None,
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
) -> ModelReport:
    """Write down what a model needs, and the evidence.

    Parameters
    ----------
    assessment : ModelAssessment
        What `assess_model` measured.
    generalization : Generalization
        The ranges that are asked for.
    questions : Asked, optional
        What `Questionnaire.ask` counted.
    title : str, optional
    source : str, default="table"
        What the input is called: a file name, not a path.
    rows : int, optional
        How many records it has.
    command : str, optional
        The command that made it.
    facts : mapping, optional
        More plain facts for whoever wants to do it again, such as the name of the model's file.
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.

    Returns
    -------
    ModelReport

    Examples
    --------
    >>> import sparsam as sp
    >>> from sparsam.assess import assess_model
    >>> people = sp.load_example().take(range(2000)).to_frame("pandas")
    >>> def adult(frame):
    ...     return frame["age"].to_numpy() >= 18
    >>> tree = sp.ModelTree(adult, sp.Roles("employed"), keep_accuracy=0.99).fit(people)
    >>> evidence = assess_model(tree, people, rows=tree.held_out_rows_)
    >>> report = model_report(evidence, tree.generalization_)
    >>> report.verdict.partition(".")[0]
    'The model needs 1 of 16 attributes'
    """
    measured, settings = assessment.to_dict(), dict(assessment.settings)
    seed = settings.pop("random_state", None)
    return ModelReport(
        {
            "title": title or "Data minimisation report for a model",
            "made": made_data(author, purpose, date),
            "collected": _collected(assessment, generalization),
            "kept": {**measured, "held_out": measured["relative_accuracy"]},
            "truth": measured["true_accuracy"],
            "stored": measured["disclosure"],
            "curve": measured["curve"],
            "questions": _questions(questions),
            "method": _method(assessment.settings, assessment.n_asked, measured["proof"]),
            "meaning": list(_MEANING),
            "reproduce": {
                "versions": versions(),
                "seed": seed,
                "input": input_data(source, rows),
                "command": command,
                "settings": {
                    **(facts or {}),
                    **_named(settings),
                    "model asked": measured["n_asked"],
                },
            },
            "confidence": 0.95,
        }
    )


def _collected(assessment: ModelAssessment, generalization: Generalization) -> dict[str, Any]:
    ranges, local = assessment.information_loss, assessment.local_information_loss
    if set(generalization.names) != {attribute.name for attribute in assessment.attributes}:
        raise ParameterError(
            "A report needs the generalization that was assessed. Got one with other attributes."
        )
    attributes = [
        {
            **attribute_data(attribute, generalization[attribute.name], personal=False),
            "information_loss": ranges.per_attribute[attribute.name],
            "local_information_loss": local.per_attribute[attribute.name],
        }
        for attribute in assessment.attributes
    ]
    return {
        "attributes": attributes,
        "n_buckets": generalization.n_buckets,
        "n_collected": len(generalization.collected),
        "information_loss": ranges.overall,
        "local_information_loss": local.overall,
    }


def _questions(asked: Questions | None) -> dict[str, Any] | None:
    if asked is None:
        return None
    return {
        "mean": float(asked.mean),
        "form": int(asked.form),
        "saved": float(asked.saved),
        "per_attribute": dict(asked.per_attribute),
    }


def _named(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings by names that a person reads."""
    return {key.replace("_", " "): value for key, value in settings.items()}


def _publishable(data: Data) -> dict[str, Any]:
    """Copy the data with words for counts of few people, and nothing but plain values."""
    safe: dict[str, Any] = plain(data)
    safe["kept"] = {key: safe["kept"][key] for key in _KEPT}
    groups = [*safe["kept"].values(), *(safe["truth"] or {}).values(), *safe["stored"].values()]
    for group in groups:
        if isinstance(group, dict) and "n_records" in group:
            group["n_records"] = suppress(group["n_records"])
    return safe


def _method(settings: Mapping[str, Any], n_asked: int, proof: Data) -> list[str]:
    """Return how it was done, in sentences.

    Parameters
    ----------
    settings : mapping
        The parameters of the tree.
    n_asked : int
        How many records the model was asked about.
    proof : mapping
        What was shown, and how.
    """
    learn, choose, report = (short_percent(share) for share in settings["fractions"])
    sentences = [
        f"The model was not changed; it was asked about {n_asked:,} records.",
        _SEARCHES.get(settings["search"], ""),
        f"{learn} of the people were learned from, {choose} chosen on and {report} held out. All "
        "figures are from the people held out unless they say otherwise.",
        *_tested(proof),
        "The ranges that are announced are the ranges that are applied: what is measured is the "
        "model’s answer to what the recoding feeds it, nothing else.",
    ]
    where = {
        "each answer": _of_each(proof),
        "each cell": "The target had to be shown in each group of people that the model treats "
        "alike and that is large enough to tell, each at the same confidence.",
    }
    sentences.append(where.get(settings.get("kept_in", ""), ""))
    if settings["search"] == "paper" and settings.get("ilag") == "paper":
        sentences.append(
            "Attributes were given back in the order as printed (eq. 3), which takes useless ones "
            "first."
        )
    if settings.get("weights"):
        sentences.append("Attributes count in the information loss by the weights below.")
    return [sentence for sentence in sentences if sentence]


def _tested(proof: Data) -> Iterator[str]:
    """How it is known that so much is kept."""
    target = target_words(proof["target"], "share" if proof["how"] == "binomial" else "r2")
    how = {
        "binomial": "an exact binomial test",
        "normal": "a test for large samples, which takes means to be normal",
    }[proof["how"]]
    tested = counted(proof["n_tested"], "recoding")
    yield (
        "From the first two parts came recodings and their order, from fine to coarse. On the "
        f"people held out, “keeps less than {target}” was tested for one after the other by {how}, "
        f"until the first for which it could not be ruled out; {tested} came that far. "
        "The last one before it was chosen: with "
        f"{short_percent(proof['confidence'])} confidence it keeps what was asked for, of all "
        "people who are like these."
    )


def _of_each(proof: Data) -> str:
    """What was tested of each answer."""
    target = target_words(proof["each_target"], "share")
    words = (
        f"At least {target} had to be shown of each answer of the model, since a rare one would be "
        "lost in an average; each at the same confidence, so that all of them hold together."
    )
    if proof["too_rare"]:
        rare = ", ".join(f"“{answer}”" for answer in proof["too_rare"][:_MOST_ANSWERS])
        more = " and others" * (len(proof["too_rare"]) > _MOST_ANSWERS)
        words += f" Too few people get {rare}{more} to show anything of it."
    return words


def _notices(data: Data) -> Iterator[Notice]:
    """That the target is missed, what an average hides, or what each answer costs."""
    kept = data["kept"]
    little = (data["collected"]["information_loss"] or 0.0) < _LITTLE
    if kept["kept_in"] == "each answer" and len(kept["per_answer"]) > 1 and little:
        yield Notice(
            (
                strong("Little is spared."),
                f" To keep “{kept['per_answer'][0]['answer']}”, which few people get, the model "
                "needs fine detail. --kept-in all asks for the target over all people alone.",
            )
        )
    if not kept["met"]:
        yield _TOO_FEW if kept["proof"]["too_few"] else _MISSED
    elif lost := _lost(kept):
        which = f"“{lost[0]['answer']}”" if len(lost) == 1 else f"{len(lost)} answers"
        yield Notice(
            (
                strong("Met over all people only."),
                f" Of {which} less is kept than the target: --kept-in each-answer demands it for "
                "each answer.",
            ),
        )


def _lost(kept: Data) -> list[Data]:
    """The answers of which less is kept than the target, the worst first."""
    least = kept["each_target" if kept["kept_in"] == "each answer" else "target"]
    lost = [each for each in kept["per_answer"] if each["score"] < least - 1e-12]
    return sorted(lost, key=lambda each: float(each["score"]))


def _verdict(data: Data) -> Verdict:
    """What the model needs and keeps; a missed target comes first."""
    kept, held_out = data["kept"], data["kept"]["held_out"]
    target = target_words(kept["target"], held_out["measure"])
    people = f"on {counted(held_out['n_records'], 'person', 'people')} held out"
    if kept["met"]:
        words = f"{_agreement('its', held_out)}{_of_answers(kept)}"
        return Verdict(f"The model needs {_needed(data)}.", f"{words} {people}: {_shown(data)}.")
    if kept["proof"]["too_few"]:
        words = f"{_agreement('the model’s', held_out)} {people}, when it is given {_needed(data)}"
        return Verdict(
            f"Too few people to tell whether {target} is kept.", f"{words}{_enough(kept['proof'])}."
        )
    measured, where = kept["worst_cell"] or held_out, ""
    answers = _lost(kept) if kept["kept_in"] == "each answer" else []
    if kept["worst_cell"]:
        where = " in the worst group"
    elif answers and answers[0]["score"] < held_out["score"]:
        measured = answers[0]
    decimals = telling(measured["score"], kept["each_target" if answers else "target"])
    whose = f"the model’s “{answers[0]['answer']}”" if measured is not held_out and answers else ""
    words = _agreement(whose or "the model’s", measured, decimals)
    lacking = f"{kept['shortfall']:.{decimals + 2}f}"
    if held_out["measure"] == "share":
        lacking = f"{100 * kept['shortfall']:.{decimals}f} points"
    if whose or kept["worst_cell"]:
        target = target_words(kept["each_target"], held_out["measure"])
    return Verdict(
        f"The target of {target}{' of each answer' * bool(whose)} is missed by {lacking}.",
        f"{words}{where} {people}, when the model is given {_needed(data)}.",
    )


def _of_answers(kept: Data) -> str:
    """The answer that is kept least, where it must be told beside the average."""
    lost = _lost(kept)
    if lost:
        rest = f", {len(lost) - 1} more below the target" if len(lost) > 1 else ""
        decimals = telling(lost[0]["score"], kept["target"])
        return f", but of “{lost[0]['answer']}” only {percent(lost[0]['score'], decimals)}{rest},"
    if kept["kept_in"] != "each answer" or not kept["per_answer"]:
        return ""
    worst = min(kept["per_answer"], key=lambda each: float(each["score"]))
    return f", of “{worst['answer']}” {percent(worst['score'])},"


def _shown(data: Data) -> str:
    """What is promised of all people, and of each answer."""
    kept, proof = data["kept"], data["kept"]["proof"]
    measure = kept["held_out"]["measure"]
    target = target_words(kept["target"], measure)
    confidence = f"with {short_percent(proof['confidence'])} confidence"
    if measure != "share":
        return f"{confidence} it is at least {target} for all people"
    words = f"{confidence} at least {target} of all people get the same answer"
    if kept["kept_in"] == "each answer" and kept["per_answer"]:
        words += f", and at least {target_words(kept['each_target'], measure)} of each answer"
        if proof["too_rare"]:
            rarer = counted(len(proof["too_rare"]), "rarer answer")
            words += f" ({rarer} with too few people to tell)"
    elif _lost(kept):
        words += ", but not of each answer"
    return words


def _enough(proof: Data) -> str:
    """What is shown where people are too few, and how many would do."""
    words = ""
    if proof["at_least"]:
        least = percent(proof["at_least"])
        words = f": with {short_percent(proof['confidence'])} confidence at least {least} is"
    if proof["n_enough"]:
        return f"{words}. A table of {proof['n_enough']:,} people could show it"
    return f"{words}. No number of people could show it" if proof["target"] >= 1 else words


def _agreement(whose: str, accuracy: Data, decimals: int = 1) -> str:
    score = score_words(accuracy["score"], accuracy["measure"], decimals)
    if accuracy["measure"] == "share":
        return f"{score} of {whose} answers stay the same"
    what = "an R²" if accuracy["measure"] == "r2" else "a score"
    return f"{whose[0].upper()}{whose[1:]} answers before and after agree with {what} of {score}"


def _needed(data: Data) -> str:
    needed, total = data["collected"]["n_collected"], len(data["collected"]["attributes"])
    if needed == 0:
        return f"none of the {total} attributes"
    if needed == total:
        return f"all {total} attributes" if total > 1 else "its only attribute"
    return f"{needed} of {total} attributes"


def _attributes_figure(data: Data) -> KeyFigure:
    collected = data["collected"]
    needed, total = collected["n_collected"], len(collected["attributes"])
    spared = f"{total - needed} need not be collected" if needed < total else "none can be spared"
    shape = f"{counted(collected['n_buckets'], 'bucket')} in all"
    return KeyFigure(f"{needed} of {total}", "attributes to collect", (spared, shape))


def _answers_figure(data: Data) -> KeyFigure:
    kept, held_out = data["kept"], data["kept"]["held_out"]
    measure = held_out["measure"]
    target = f"target {target_words(kept['target'], measure)}"
    if kept["met"] and _lost(kept):
        target += " over all: shown; of each answer: missed"
    else:
        if kept["kept_in"] == "each answer":
            target += f", {target_words(kept['each_target'], measure)} of each answer"
        target += f": {_outcome(kept)}"
    around = range_words(held_out["interval"], measure)
    title = {"share": "of the answers stay", "r2": "R² between the answers"}.get(measure, "score")
    notes = [target, f"{whole(held_out['n_records'])} people held out"]
    if around:
        notes.insert(1, f"{interval_words(data)} {around}")
    decimals = telling(held_out["score"], kept["target"])
    return KeyFigure(score_words(held_out["score"], measure, decimals), title, tuple(notes))


def _outcome(kept: Data) -> str:
    """Whether the target is kept, in a word or two."""
    if kept["met"]:
        return f"shown, {short_percent(kept['proof']['confidence'])} confidence"
    return "too few people to tell" if kept["proof"]["too_few"] else "missed"


def _loss_figure(data: Data) -> KeyFigure:
    collected = data["collected"]
    local = f"{percent(collected['local_information_loss'])} of what the model is fed"
    notes = ("of the ranges asked for", local)
    return KeyFigure(percent(collected["information_loss"]), "information loss", notes)


def _questions_figure(asked: Data | None) -> KeyFigure | None:
    if asked is None:
        return None
    notes = (
        f"of the {counted(asked['form'], 'question')} of the form",
        f"{percent(asked['saved'])} fewer, the same predictions",
    )
    return KeyFigure(plain_number(asked["mean"]), "questions on average", notes)


def _stored_figure(data: Data) -> KeyFigure:
    before, after = data["stored"]["before"], data["stored"]["after"]
    notes = (f"{percent(before['as_printed'])} in full detail", "eq. 4 as printed, people held out")
    return KeyFigure(percent(after["as_printed"]), "disclosure risk", notes)


def _brief(data: Data) -> Iterator[Block]:
    """What a notebook and a terminal show."""
    attributes = data["collected"]["attributes"]
    if data["collected"]["n_collected"]:
        yield _collect_table(data)
    if spared := [each["name"] for each in attributes if not each["collected"]]:
        yield Text(("Do not collect: ", names(spared)))
    yield _kept(data)
    yield _stored(data).bare()
    if data["questions"]:
        yield _asked_text(data["questions"])


def _collect(data: Data) -> tuple[Block, ...]:
    if not data["collected"]["n_collected"]:
        words = "Nothing needs to be collected: the model answers as before without any of it."
        return (Text(words),)
    lead = (
        "Ask for these attributes, and only this precisely. Information loss is "
        f"0{THIN}% where all the detail is kept and 100{THIN}% where nothing is; the small figure "
        "is that of what the model is fed, which differs from person to person."
    )
    return (Text(lead), _collect_table(data))


def _collect_table(data: Data) -> Table:
    return Table(
        "What to collect, attribute by attribute",
        (
            "Attribute",
            Column("Collected before", label="before"),
            "Collect from now on",
            number("Information loss", "information loss"),
        ),
        tuple(
            (
                *attribute_row(attribute),
                Cell(
                    percent(attribute["information_loss"]),
                    f"{percent(attribute['local_information_loss'])} fed",
                    share=attribute["information_loss"] or 0.0,
                ),
            )
            for attribute in data["collected"]["attributes"]
            if attribute["collected"]
        ),
        look="attributes",
        stack="late",
    )


def _kept_blocks(data: Data) -> Iterator[Block]:
    curve = curve_figure(data)
    if curve is None:
        yield _kept(data)
        return
    own = data["kept"]["held_out"]["measure"] == "own"
    stretched = "" if own else "The scale is stretched towards the top. "
    keys: tuple[tuple[str, Words], ...] = (
        ("◆", f"chosen, with {interval_words(data)}"),
        ("○", "steps of the search"),
    )
    note = (
        f"People held out. {stretched}Steps are the ranges alone; what was chosen is measured as "
        "the model is fed."
    )
    steps = Fold("the steps of the search, from everything collected to nothing", (_steps(data),))
    yield Columns(((Figure(curve, keys, note),), (_kept(data), steps)))


def _kept(data: Data) -> Table:
    return Table(
        "How much of the model’s answers is kept",
        ("What", number("Figure", note=interval_words(data)), number("People", "people")),
        tuple(_kept_rows(data)),
        stack="late",
    )


def _kept_rows(data: Data) -> Iterator[Row]:
    kept, truth = data["kept"], data["truth"]
    measure = kept["held_out"]["measure"]
    titles = {"share": "Answers that stay the same", "r2": "R² before and after"}
    title = titles.get(measure, "Score before and after")
    target = f"people held out; target {target_words(kept['target'], measure)}: {_outcome(kept)}"
    decimals = telling(kept["held_out"]["score"], kept["target"])
    yield _kept_row(Cell(title, target), kept["held_out"], decimals)
    yield _kept_row(Cell(title, "people chosen on"), kept["chosen_on"])
    if kept["worst_cell"]:
        yield _kept_row(Cell(title, "the worst group, people held out"), kept["worst_cell"])
    for each in kept["per_answer"][:_MOST_ANSWERS] if len(kept["per_answer"]) > 1 else ():
        decimals = telling(each["score"], kept["target"])
        words = Cell(f"Of the answer “{each['answer']}”", f"{percent(each['share'])} of the people")
        yield _kept_row(words, each, decimals)
    null = strong(score_words(kept["null_accuracy"], measure))
    yield Cell("One answer for everyone", "what nothing collected would keep"), null, NOTHING
    if truth:
        title = "R² to the truth" if measure == "r2" else "Answers that are right"
        yield _kept_row(Cell(title, "on the records themselves"), truth["before"])
        note = "on what the model is fed instead"
        if kept["met"] and measure == "share":  # who gets the same answer is as right as before
            points = plain_number(100 * (1 - kept["target"]))
            note += f"; at most {points} points fewer, as no more answers change"
        yield _kept_row(Cell(title, note), truth["after"])


def _kept_row(title: Cell, accuracy: Data, decimals: int = 1) -> Row:
    score = score_words(accuracy["score"], accuracy["measure"], decimals)
    around = range_words(accuracy["interval"], accuracy["measure"]) or ""
    return title, Cell(strong(score), around), whole(accuracy["n_records"])


def _steps(data: Data) -> Table:
    measure = data["kept"]["held_out"]["measure"]
    return Table(
        "The steps of the search, from everything collected to nothing",
        (
            "Information loss",
            number("Attributes"),
            number("Kept, held out"),
            number("Kept, chosen on"),
        ),
        tuple(
            (
                percent(step["information_loss"]),
                str(step["n_collected"]),
                score_words(step["held_out"], measure),
                score_words(step["chosen_on"], measure),
            )
            for step in data["curve"]
        ),
    )


def _stored_text(data: Data) -> Text:
    known, total = data["stored"]["quasi_identifiers"], len(data["collected"]["attributes"])
    counts: Words = "All attributes count as known to someone."
    if len(known) != total:
        counts = ("These attributes count as known to someone: ", names(known), ".")
    lead = (
        "Someone who holds the records and knows these attributes of a person looks for that "
        f"person: the risk is 100{THIN}% when every record is one of a kind. "
    )
    return Text((lead, counts))


def _stored(data: Data) -> Table:
    """Disclosure risk in both readings, and distinct records."""
    parts = [data["stored"][part] for part in ("before", "after", "recoded")]
    people = whole(parts[0]["n_records"])
    readings = (
        ("Disclosure risk, eq. 4 as printed",
         "mean over people of 1 / people with the same record",
         [percent(part["as_printed"]) for part in parts]),
        ("Disclosure risk, as the paper’s figures are made",
         "the same sum over distinct records only, divided by people",
         [percent(part["as_reported"]) for part in parts]),
        ("Distinct records",
         f"of {people} people held out",
         [whole(part["distinct"]) for part in parts]),
    )  # fmt: skip
    return Table(
        "Disclosure risk and distinct records, before and after",
        (
            "What",
            number("Full detail", "full detail"),
            number("Ranges asked for", "ranges"),
            number("As the model is fed", "fed"),
        ),
        tuple(
            (Cell(title, note), before, strong(after), recoded)
            for title, note, (before, after, recoded) in readings
        ),
        stack="late",
    )


def _asked_text(asked: Data) -> Text:
    return Text(
        f"The form asks everyone {counted(asked['form'], 'question')}. The questionnaire stops "
        f"asking once the model’s answer is settled: {plain_number(asked['mean'])} on average, "
        f"{percent(asked['saved'])} fewer, and the model answers the same."
    )


def _asked(asked: Data) -> Table:
    """The share of people who are asked for each attribute, the most asked first."""
    shares = sorted(asked["per_attribute"].items(), key=lambda pair: (-pair[1], pair[0]))
    return Table(
        "How many people are asked for each attribute",
        ("Attribute", number("People asked for it")),
        tuple((name(attribute), percent(share)) for attribute, share in shares),
        look="plain narrow-table",
    )
