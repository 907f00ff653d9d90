"""The report on a table that is published so that nobody stands alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import (
    FEWER,
    PublishedCounts,
    few,
    publish_nested,
    publish_share,
    suppress,
)
from sparsam.anonymise import (
    LOSS_DEFINITIONS,
    AnonymisedModel,
    Certificate,
    DropOne,
    Finding,
    KAnonymityTerms,
    KSweep,
    ModelFacts,
    Verification,
    people_in,
    release_risk,
    verify,
)
from sparsam.attack import Risk
from sparsam.data import columns_of
from sparsam.report._closing import input_data, meaning_section, reproduce_section, versions
from sparsam.report._document import Document, plain
from sparsam.report._made import Day, made_data
from sparsam.report._release_sizes import size_bins, size_words
from sparsam.report._words import (
    NOTHING,
    THIN,
    counted,
    pair,
    percent,
    percent_range,
    points,
    score_name,
    score_words,
    setting,
    short_percent,
    version_words,
    whole,
)
from sparsam.report.page._blocks import (
    Block,
    Box,
    Cell,
    Checks,
    Columns,
    Facts,
    Figure,
    Heading,
    KeyFigure,
    Notice,
    Page,
    Row,
    Section,
    Table,
    Text,
    Verdict,
    Words,
    code,
    name,
    names,
    number,
    strong,
)
from sparsam.report.pictures._release import method_name, size_figure, sweep_figure, sweep_keys

_MEANING = (
    {
        "heading": "The promise is about the quasi-identifiers that were named",
        "text": "A column that is published as it is and that others know of a person is a way to "
        "recognise that person. Name every column that someone could know.",
    },
    {
        "heading": "Whole rows are another matter",
        "text": "Classes are counted over the quasi-identifiers. With the columns that are "
        "published as they are, many rows are unique in any release: whoever knows these too finds "
        "the row. How many there are is said above.",
    },
    {
        "heading": "Not recognised is not the same as nothing learned",
        "text": "Where all who share a record have the same illness, nobody needs to be recognised "
        "for it to be known. ℓ-diversity and t-closeness are promises about that; k alone is not.",
    },
    {
        "heading": "One release, not two",
        "text": "Who sees two releases of the same people, with other classes or another k, knows "
        "more than either of them tells. The promise of each is about itself only.",
    },
    {
        "heading": "The certificate proves the cells, not their history",
        "text": "Classes, promises and the hash can be checked by anyone who has the release. The "
        "rows that were left out and the detail that was lost are stated by whoever made it.",
    },
    {
        "heading": "Risk counts people who share a record",
        "text": "It takes the worst for granted: the other one knows every quasi-identifier of a "
        "person rightly. It says nothing about who would try, or about what can be worked out from "
        "the rest of the record. This is not differential privacy.",
    },
    {
        "heading": "Whether these are still personal data is a question of law",
        "text": "No figure here settles it.",
    },
)
_SIGNS = {True: "✓ holds", False: "✗ broken", None: "– not checked"}
_ADVERSARIES = {
    "prosecutor": "looks for one person, and knows that the person is in the release",
    "journalist": "looks for anyone, to show that it can be done; without figures on the "
    "population, as bad as the prosecutor",
}
_MODELS = {"raw": "trained on raw rows", "anonymised": "trained on anonymised rows"}

Data = Mapping[str, Any]


class ReleaseReport(Document[dict[str, Any]]):
    """What a release promises, keeps and costs, to read, to print and to file.

    Counts of fewer than five people are replaced by words before anything is written, in the plain
    data too.

    Parameters
    ----------
    data : dict
        What was measured, as plain values.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(_publishable(data))

    @property
    def kept(self) -> bool:
        """Whether nothing was found to be wrong."""
        return bool(self._data["kept"])

    def page(self) -> Page:
        """Return the report as a page; a broken promise comes first."""
        data = self._data
        promise = "The same command on the same files gives the same release and the same report."
        sections = [Section("certificate", "The certificate", tuple(_certified(data)))]
        if data["sizes"]:
            title = "How many share their quasi-identifiers"
            sections.append(Section("sizes", title, (_shared(data),)))
        if data["risk"] is not None:
            blocks = (_risk_text(data["risk"]), _risk_table(data["risk"]))
            sections.append(Section("risk", "Who could be recognised", blocks))
        if data["sweeps"] is not None:
            sections.append(Section("sweep", "What every k costs", tuple(_swept(data["sweeps"]))))
        if data["drop_one"] is not None:
            blocks = (_drop_text(data["drop_one"]), _drop_table(data["drop_one"]))
            sections.append(Section("drop", "What every quasi-identifier costs", blocks))
        if data["model"] is not None:
            blocks = (_model_text(data["model"]), _model_table(data["model"]))
            sections.append(Section("model", "A model trained on it", blocks))
        sections += [
            meaning_section(data["meaning"]),
            reproduce_section(data["reproduce"], promise, rows="row"),
        ]
        return Page(
            title=data["title"],
            verdict=_verdict(data),
            figures=tuple(_figures(data)),
            notices=(_notice(data),),
            sections=tuple(sections),
            brief=tuple(_brief(data)),
            saved_as="release.html",
        )

    def __repr__(self) -> str:
        return f"<ReleaseReport {self._data['title']!r}: {_verdict(self._data).needs}>"


def release_report(
    release: Any,
    certificate: Certificate | str | os.PathLike[str],
    *,
    unpublished: Mapping[str, NDArray[Any]] | None = None,
    sweeps: Sequence[KSweep] = (),
    scores: Mapping[str, Any] | None = None,
    drop_one: DropOne | None = None,
    model: AnonymisedModel | None = None,
    title: str | None = None,
    source: str = "table",
    rows: int | None = None,
    command: str | None = None,
    facts: Mapping[str, Any] | None = None,
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
    max_memory: int | str | None = None,
) -> ReleaseReport:
    """Check a release once more from its published cells, and write down the evidence.

    Parameters
    ----------
    release : frame, mapping of arrays, ndarray, Table or path
        The published table.
    certificate : Certificate or path
    unpublished : mapping of str to ndarray, optional
        Columns that promises speak about and that are not published, for the published rows.
    sweeps : sequence of KSweep, optional
        What every k costs, a sweep for each method.
    scores : mapping, optional
        What the scores of the sweeps are: "measure" ("share" of right answers, "r2" or "own"),
        "raw" and "chance" (the scores of a model that learned from raw rows, and of one answer for
        everyone), and "words" on how they were measured.
    drop_one : DropOne, optional
        What every quasi-identifier costs.
    model : AnonymisedModel, optional
        A model before and after.
    title : str, optional
    source : str, default="table"
        What the raw table is called: a file name, not a path.
    rows : int, optional
        How many rows it has.
    command : str, optional
        The command that made the release.
    facts : mapping, optional
        More plain facts for whoever wants to do it again.
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.
    max_memory : int or str, optional
        See `verify`.

    Returns
    -------
    ReleaseReport

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.anonymise import Anonymiser
    >>> anonymiser = Anonymiser(k=2)
    >>> release = anonymiser.fit_transform({"age": np.array([20, 21, 22, 40, 41, 60])})
    >>> release_report(release, anonymiser.certificate_).kept
    True
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(os.fspath(certificate))
    verification = verify(release, certificate, unpublished=unpublished, max_memory=max_memory)
    sizes, people = _sizes(release, certificate, verification, unpublished or {})
    return ReleaseReport(
        {
            "title": title or "Anonymisation report",
            "made": made_data(author, purpose, date),
            "kept": verification.ok,
            "complete": verification.complete,
            "findings": [_finding_data(finding) for finding in verification.findings],
            "certificate": _certificate_data(certificate),
            "sizes": [] if sizes is None else size_bins(sizes),
            "risk": _risk_data(sizes, people),
            "sweeps": _sweeps_data(sweeps, scores or {}),
            "drop_one": None if drop_one is None else drop_one.to_dict(),
            "model": None if model is None else _model_data(model),
            "meaning": _MEANING,
            "reproduce": {
                "versions": versions(),
                "seed": certificate.parameters.get("random_state"),
                "input": input_data(source, rows),
                "command": command,
                "settings": dict(facts or {}),
            },
        }
    )


def _sizes(
    release: Any,
    certificate: Certificate,
    verification: Verification,
    unpublished: Mapping[str, NDArray[Any]],
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """Rows and people of every class; None where nobody shows whose row it is."""
    if not verification.ok or verification.counted is None:
        return None, None
    of_row, sizes = verification.counted.of_row, verification.counted.sizes
    promises = (terms for terms in certificate.demands if isinstance(terms, KAnonymityTerms))
    entity = next((terms.entity for terms in promises if terms.entity is not None), None)
    if entity is None:
        return sizes, sizes
    if entity in unpublished:
        return sizes, people_in(of_row, np.asarray(unpublished[entity]))
    if entity in certificate.columns:
        return sizes, people_in(of_row, columns_of(release, [entity])[entity])
    return sizes, None


def _finding_data(finding: Finding) -> dict[str, Any]:
    counts = (f"{whole(suppress(count))} {what}" for count, what in finding.counts)
    detail = finding.reason or ", ".join(counts)
    return {"words": finding.words, "held": finding.held, "detail": detail}


def _certificate_data(certificate: Certificate) -> dict[str, Any]:
    rows = certificate.whole_rows
    ks = (terms.k for terms in certificate.demands if isinstance(terms, KAnonymityTerms))
    return {
        "sha256": certificate.sha256,
        "n_rows": certificate.n_rows,
        "suppressed": certificate.suppressed,
        "columns": certificate.columns,
        "quasi_identifiers": certificate.quasi_identifiers,
        "kept": certificate.kept,
        "promises": [terms.words for terms in certificate.demands],
        "classes": certificate.classes,
        "smallest": certificate.smallest,
        "smallest_people": certificate.smallest_people,
        "k": max(ks, default=None),
        "whole_rows": None
        if rows is None or not certificate.kept
        else {"unique": rows.unique, "few": rows.few, "different": rows.different},
        "one_value": [
            {"column": value.column, "classes": value.classes, "rows": value.rows}
            for value in certificate.one_value
        ],
        "information_loss": [
            {"name": measure, "loss": loss, "definition": LOSS_DEFINITIONS.get(measure, "")}
            for measure, loss in certificate.information_loss.items()
        ],
        "parameters": certificate.parameters,
        "versions": certificate.versions,
    }


def _risk_data(
    sizes: NDArray[np.int64] | None, people: NDArray[np.int64] | None
) -> dict[str, Any] | None:
    if sizes is None or people is None:
        return None
    risks = release_risk(sizes, people=people)
    return {
        **{adversary: _record_risk(risks[adversary]) for adversary in _ADVERSARIES},
        "marketer": risks["marketer"].value,
        "baseline": risks["prosecutor"].baseline,
        "threshold": risks["prosecutor"].details["threshold"],
    }


def _record_risk(risk: Risk) -> dict[str, Any]:
    return {
        "highest": risk.details["highest"],
        "average": risk.value,
        "share_above": risk.details["share_above"],
    }


def _sweeps_data(sweeps: Sequence[KSweep], scores: Mapping[str, Any]) -> dict[str, Any] | None:
    if not sweeps:
        return None
    return {
        "measure": scores.get("measure", "own"),
        "raw": scores.get("raw"),
        "chance": scores.get("chance"),
        "words": scores.get("words", ""),
        "methods": [
            {"method": sweep.method, "n_rows": sweep.n_rows, "rows": sweep.facts()["rows"]}
            for sweep in sweeps
        ],
    }


def _model_data(model: AnonymisedModel) -> dict[str, Any]:
    return {
        "method": model.method,
        "k": model.k,
        "n_train": model.n_train,
        "n_test": model.n_test,
        "models": [_facts_data(facts) for facts in (model.before, model.after, *model.private)],
    }


def _facts_data(facts: ModelFacts) -> dict[str, Any]:
    return {
        "name": facts.name,
        "train_accuracy": facts.train_accuracy,
        "test_accuracy": facts.test_accuracy,
        "membership": [_model_risk(risk.adversary, risk) for risk in facts.membership],
        "attribute": [
            _model_risk(f"{risk.adversary} on {risk.attribute}", risk) for risk in facts.attribute
        ],
        "epsilon": None if facts.privacy is None else facts.privacy.get("epsilon"),
    }


def _model_risk(adversary: str, risk: Risk) -> dict[str, Any]:
    return {
        "adversary": adversary,
        "figure": risk.value,
        "interval": risk.interval,
        "baseline": risk.baseline,
    }


def _publishable(data: Data) -> dict[str, Any]:
    """Copy the data with words for counts of few people, and nothing but plain values."""
    safe: dict[str, Any] = plain(data)
    paper, risk, model = safe["certificate"], safe["risk"], safe["model"]
    smallest = paper["smallest"] if paper["smallest_people"] is None else paper["smallest_people"]
    if few(smallest) and risk is not None:
        for adversary in _ADVERSARIES:
            risk[adversary]["highest"] = None
    for key in ("smallest", "smallest_people"):
        paper[key] = suppress(paper[key])
    if (rows := paper["whole_rows"]) is not None:
        counts = [rows["unique"], rows["few"]]
        rows["unique"], rows["few"] = publish_nested(counts, paper["n_rows"])
    for value in paper["one_value"]:
        if few(value["rows"]):
            value["rows"] = value["classes"] = FEWER
    _publish_left_out(safe)
    # How often models are right tells of five people or more.
    for facts in [] if model is None else model["models"]:
        facts["train_accuracy"] = publish_share(facts["train_accuracy"], model["n_train"])
        facts["test_accuracy"] = publish_share(facts["test_accuracy"], model["n_test"])
    return safe


def _publish_left_out(safe: dict[str, Any]) -> None:
    """Replace the counts of rows that were left out, of the release and of every k."""
    paper, table = safe["certificate"], safe["reproduce"]["input"]
    methods = [] if safe["sweeps"] is None else safe["sweeps"]["methods"]
    swept = [row for sweep in methods for row in sweep["rows"]]
    tell = PublishedCounts([row["suppressed"] for row in (paper, *swept)], table["rows"])
    exact = tell(paper["suppressed"]) == paper["suppressed"]
    for row in (paper, *swept):
        row["suppressed"] = tell(row["suppressed"])
    for row in swept:
        row["smallest"] = suppress(row["smallest"])
    if not exact:
        # The rows of the raw table, less those of the release, are the rows that were left out.
        table["rows"] = None
        for sweep in methods:
            sweep["n_rows"] = None


def _verdict(data: Data) -> Verdict:
    """Whether the release keeps its promise, and what it costs."""
    paper = data["certificate"]
    if not data["kept"]:
        broken = [finding["words"] for finding in data["findings"] if finding["held"] is False]
        return Verdict(
            "This release must not be relied on.",
            f"Not true of the published cells: {'; '.join(broken)}.",
        )
    first, *more = paper["promises"]
    promise = f"{first[0].upper()}{first[1:]}"
    if not data["complete"]:
        unseen = sum(finding["held"] is None for finding in data["findings"])
        return Verdict(
            f"{promise}, says the certificate.",
            f"{counted(unseen, 'statement')} could not be checked from the published cells; the "
            f"others hold. {_published_words(paper)}",
        )
    subject = f"This and {counted(len(more), 'further promise')} were" if more else "This was"
    return Verdict(
        f"{promise}.", f"{subject} checked from the published cells. {_published_words(paper)}"
    )


def _published_words(paper: Data) -> str:
    words = (
        f"{counted(paper['n_rows'], 'row')} are published in "
        f"{counted(paper['classes'], 'class', 'classes')}; {_left_out_words(paper)}."
    )
    if (rows := paper["whole_rows"]) is None:
        return words
    unique = f"{whole(rows['unique'])} of {whole(paper['n_rows'])} are unique"
    if rows["unique"] == 0:
        unique = "none is unique"
    return f"{words} Whole rows, with the columns published as they are: {unique}."


def _left_out_words(paper: Data) -> str:
    if paper["suppressed"] == 0:
        return "no row was left out"
    return f"{whole(paper['suppressed'])} were left out"


def _highest_words(risk: Data, threshold: float) -> str:
    """The highest risk; where few share a record, only that it is high."""
    if risk["highest"] is None:
        return f"more than {short_percent(threshold)}"
    return percent(risk["highest"])


def _notice(data: Data) -> Notice:
    if not data["kept"]:
        words = " Do not publish this table, and do not rely on its certificate."
        return Notice((strong("✗ Promise broken."), words), "missed")
    if data["complete"]:
        words = " checked anew from the published cells by code that had no part in making them."
        return Notice((strong("✓ Promise kept,"), words), "met")
    words = " the release does not show all columns that its promises speak about."
    return Notice((strong("Not everything could be checked:"), words))


def _figures(data: Data) -> Iterator[KeyFigure]:
    paper, risk = data["certificate"], data["risk"]
    people = paper["smallest_people"]
    yield KeyFigure(
        whole(paper["smallest"] if people is None else people),
        f"{'rows' if people is None else 'people'} in the smallest class",
        (
            f"{counted(paper['classes'], 'class', 'classes')} in all",
            "over the quasi-identifiers, counted in the release",
        ),
    )
    published = f"{counted(paper['n_rows'], 'row')} published"
    yield KeyFigure(whole(paper["suppressed"]), "rows left out", (published,))
    if paper["information_loss"]:
        first = paper["information_loss"][0]
        yield KeyFigure(percent(first["loss"]), "of the detail is lost", (f"by {first['name']}",))
    if risk is not None:
        highest = _highest_words(risk["prosecutor"], risk["threshold"])
        notes = (f"highest {highest}", "someone looks for a person who is in it")
        yield KeyFigure(percent(risk["prosecutor"]["average"]), "mean risk", notes)


def _brief(data: Data) -> Iterator[Block]:
    """What a notebook and a terminal show."""
    paper = data["certificate"]
    losses = ", ".join(
        f"{percent(loss['loss'], 2)} {loss['name']}" for loss in paper["information_loss"]
    )
    lost: tuple[tuple[Words, Words], ...] = (("Information loss", losses),) if losses else ()
    yield Facts((*_about(paper), *lost))
    if data["risk"] is not None:
        yield Text("The risk of being recognised:")
        yield _risk_table(data["risk"]).bare()
    if (sweeps := data["sweeps"]) is not None:
        title = score_name(sweeps["measure"])
        yield Text(f"{title[0].upper()}{title[1:]} (and detail lost) for every k:")
        yield _sweep_table(sweeps)
    if data["drop_one"] is not None:
        yield Text("Detail that the others lose to each quasi-identifier:")
        yield _drop_table(data["drop_one"])
    yield Text("Checked from the published cells:")
    yield _checks(data)


def _certified(data: Data) -> Iterator[Block]:
    paper = data["certificate"]
    lead = (
        "What this release promises. Anyone who has the release and its certificate can check it, "
        "without the raw data: "
    )
    yield Text((lead, code("sparsam verify"), " does."))
    blocks: list[Block] = [
        Heading("What was checked"),
        _checks(data),
        Heading("What it is about"),
        Facts((("SHA-256 of the cells", code(paper["sha256"])), *_about(paper))),
    ]
    if paper["parameters"]:
        settings = paper["parameters"].items()
        named = tuple((key.replace("_", " "), setting(value)) for key, value in settings)
        facts = Facts((*named, ("versions", version_words(paper["versions"]))))
        blocks += [Heading("How it was made"), facts]
    yield Box(tuple(blocks), "paper" if data["kept"] else "paper broken")
    if paper["information_loss"]:
        yield Heading("What was lost")
        yield Text(
            "“NCP” and “GCP” mean several things; these differ, so each has a name and its "
            f"definition. 0{THIN}% is all the detail there was, 100{THIN}% is none."
        )
        yield Table(
            "Information loss by definition",
            ("Measure", number("Lost"), "Definition"),
            tuple(
                (loss["name"], strong(percent(loss["loss"], 2)), loss["definition"] or NOTHING)
                for loss in paper["information_loss"]
            ),
            look="plain defined",
            stack="late",
        )


def _checks(data: Data) -> Checks:
    return Checks(
        tuple(
            (
                _SIGNS[finding["held"]],
                finding["words"] + (f" ({finding['detail']})" if finding["detail"] else ""),
            )
            for finding in data["findings"]
        )
    )


def _about(paper: Data) -> tuple[tuple[Words, Words], ...]:
    """What is published, and how many whole rows and classes say more than the promise covers."""
    people = paper["smallest_people"]
    smallest = f"{whole(paper['smallest'])} rows"
    if people is not None:
        smallest += f" and {whole(people)} people"
    everyone, classes = whole(paper["n_rows"]), whole(paper["classes"])
    pairs: list[tuple[Words, Words]] = [
        ("Quasi-identifiers", names(paper["quasi_identifiers"])),
        ("Published as they are", names(paper["kept"])),
        ("Rows", f"{everyone} published; {_left_out_words(paper)}"),
        ("Classes", f"{classes} over the quasi-identifiers, the smallest of {smallest}"),
    ]
    if (rows := paper["whole_rows"]) is not None:
        k = "k" if paper["k"] is None else whole(paper["k"])
        pairs += [
            ("Unique whole rows", f"{whole(rows['unique'])} of {everyone}"),
            (f"Whole rows of fewer than {k}", f"{whole(rows['few'])} of {everyone}"),
        ]
    for value in paper["one_value"]:
        words = f"{whole(value['classes'])} of {classes} classes, {whole(value['rows'])} rows"
        pairs.append((("One value of ", name(value["column"])), words))
    return tuple(pairs)


def _shared(data: Data) -> Block:
    table = Table(
        "Published records by the rows that share them",
        ("Rows that share a record", number("Records"), number("Rows")),
        tuple(
            (size_words(size), whole(size["records"]), whole(size["rows"]))
            for size in data["sizes"]
            if size["records"]
        ),
    )
    note = "Counted in the published cells. Records that fewer than five share are not told apart."
    drawn = size_figure(data["sizes"], data["certificate"]["classes"])
    return Columns(((Figure(drawn, note=note),), (table,)))


def _risk_text(risk: Data) -> Text:
    seeker = risk["prosecutor"]
    return Text(
        "Someone who knows all quasi-identifiers of a person and finds the record that this person "
        "has must still choose among all who share it: they are right in "
        f"{percent(seeker['average'])} of the cases on average and in "
        f"{_highest_words(seeker, risk['threshold'])} at worst. {percent(seeker['share_above'])} "
        f"of the rows have a risk above {short_percent(risk['threshold'])}."
    )


def _risk_table(risk: Data) -> Table:
    rows: list[Row] = [
        (
            Cell(adversary.capitalize(), note),
            _highest_words(risk[adversary], risk["threshold"]),
            strong(percent(risk[adversary]["average"])),
            percent(risk[adversary]["share_above"]),
        )
        for adversary, note in _ADVERSARIES.items()
    ]
    means = (
        ("Marketer",
         "matches everyone they can with a list of their own: the share that is right",
         percent(risk["marketer"])),
        ("Without any knowledge",
         "guesses among all rows of the release",
         percent(risk["baseline"], 2)),
    )  # fmt: skip
    rows += [(Cell(title, note), NOTHING, strong(mean), NOTHING) for title, note, mean in means]
    return Table(
        "The risk of being recognised, by what the other one knows",
        (
            "Who",
            number("Highest", "highest"),
            number("Mean over rows", "mean"),
            number(f"Rows above {short_percent(risk['threshold'])}", "rows above"),
        ),
        tuple(rows),
        stack="late",
    )


def _swept(sweeps: Data) -> Iterator[Block]:
    if sweeps["words"]:
        yield Text(sweeps["words"])
    measure = sweeps["measure"]
    raw = () if sweeps["raw"] is None else (("┄", "raw rows"),)
    note = "Publish one of these releases, not several."
    yield Figure(sweep_figure(sweeps), (*sweep_keys(sweeps), *raw), note, look="alone")
    yield _sweep_table(sweeps)
    limits = {"on raw rows": sweeps["raw"], "one answer for everyone": sweeps["chance"]}
    clauses = [
        f"{title} {score_words(score, measure)}"
        for title, score in limits.items()
        if score is not None
    ]
    if clauses:
        title = score_name(measure)
        yield Text(f"To compare with: {title} {', '.join(clauses)}.", note=True)


def _sweep_table(sweeps: Data) -> Table:
    """What is scored and lost with every k, a column for each method."""
    methods, measure = sweeps["methods"], sweeps["measure"]
    by_k = [{row["k"]: row for row in sweep["rows"]} for sweep in methods]
    nothing = {"score": None, "loss": None}

    def cell(row: Data) -> Cell:
        return Cell(strong(score_words(row["score"], measure)), percent(row["loss"]))

    return Table(
        "What every k costs, method by method",
        (
            number("k"),
            *(
                number(method_name(sweep["method"]), note=f"{score_name(measure)}, detail lost")
                for sweep in methods
            ),
        ),
        tuple(
            (whole(k), *(cell(rows.get(k, nothing)) for rows in by_k))
            for k in sorted(set().union(*by_k))
        ),
        look="plain small",
        scroll="across",
    )


def _drop_text(drop: Data) -> Text:
    return Text(
        "Detail that the others would keep if one column were no quasi-identifier: left out, or "
        f"known to nobody. With {method_name(drop['method'])} at k = {whole(drop['k'])}; all "
        f"together lose {percent(drop['loss'])}."
    )


def _drop_table(drop: Data) -> Table:
    return Table(
        "What every quasi-identifier costs",
        (
            "Quasi-identifier",
            number("Loses itself", "itself"),
            number("Others lose with it", "with it"),
            number("Others lose without it", "without it"),
            number("It costs the others", "costs"),
        ),
        tuple(
            (
                name(row["name"]),
                percent(row["own"]),
                percent(row["before"]),
                percent(row["after"]),
                strong(points(row["cost"])),
            )
            for row in drop["rows"]
        ),
        stack="late",
    )


def _model_text(model: Data) -> Text:
    return Text(
        f"The same model, trained on {counted(model['n_train'], 'person', 'people')} as they are "
        f"and on the same people anonymised ({method_name(model['method'])}, "
        f"k = {whole(model['k'])}), and then attacked."
    )


def _model_table(model: Data) -> Table:
    """Models side by side: how right, and how much they betray."""
    models = model["models"]
    others = f"{whole(model['n_test'])} other people"
    rows: list[Row] = [
        (Cell("Right answers", others),
         *(percent(facts["test_accuracy"]) for facts in models)),
        (Cell("Right answers", "its own training people"),
         *(percent(facts["train_accuracy"]) for facts in models)),
        *_attack_rows(models, "membership"),
        *_attack_rows(models, "attribute"),
    ]  # fmt: skip
    if any(facts["epsilon"] is not None for facts in models):
        spent = (facts["epsilon"] for facts in models)
        words = (NOTHING if epsilon is None else f"{epsilon:.3g}" for epsilon in spent)
        rows.append((Cell("Privacy budget", "epsilon, differential privacy"), *words))
    titles = [_MODELS.get(facts["name"], facts["name"]) for facts in models]
    return Table(
        "Models side by side",
        ("What", *(number(title, title) for title in titles)),
        tuple(rows),
        stack="late",
    )


def _attack_rows(models: Sequence[Data], kind: str) -> Iterator[Row]:
    """One row for each adversary of one kind, whichever of the models it was run against."""
    by_adversary = [{risk["adversary"]: risk for risk in facts[kind]} for facts in models]
    for adversary in dict.fromkeys(key for risks in by_adversary for key in risks):
        attacks = [risks.get(adversary) for risks in by_adversary]
        if kind == "membership":
            note = f"{adversary}; area under the curve, 0.5 is a coin"
            yield Cell("Training people told from others", note), *map(_area, attacks)
        else:
            baseline = next(risk["baseline"] for risk in attacks if risk is not None)
            note = f"{adversary}; share right, without the model {percent(baseline)}"
            yield Cell("Attribute guessed", note), *map(_share, attacks)


def _area(risk: Data | None) -> Cell:
    if risk is None:
        return Cell(NOTHING)
    ends = pair(risk["interval"])
    around = "" if ends is None else f"{ends[0]:.3f}–{ends[1]:.3f}"
    return Cell(f"{risk['figure']:.3f}", around)


def _share(risk: Data | None) -> Cell:
    if risk is None:
        return Cell(NOTHING)
    return Cell(percent(risk["figure"]), percent_range(risk["interval"]) or "")
