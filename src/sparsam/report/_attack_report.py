"""The report of attacks on one generalization, saved or about to be used."""

from __future__ import annotations

from typing import cast

from sparsam.attack import Attacks
from sparsam.data import Split, Table
from sparsam.generalization import Generalization, information_loss
from sparsam.report._attack_html import attack_page, attack_summary
from sparsam.report._attack_markdown import attack_markdown
from sparsam.report._collected import attributes_data
from sparsam.report._data import AttackReportData, AttacksData, CollectedData
from sparsam.report._document import Document
from sparsam.report._meaning import MEANING_OF_ATTACKS
from sparsam.report._provenance import reproduce_data, task_data
from sparsam.report._publish import publishable_attack_report


class AttackReport(Document[AttackReportData]):
    """What attackers make of the records of one generalization, to read, to print and to file.

    Counts of fewer than five people are replaced by words before anything is written, in the plain
    data too.

    Parameters
    ----------
    data : AttackReportData
        What was measured, as plain values.
    """

    def __init__(self, data: AttackReportData) -> None:
        super().__init__(publishable_attack_report(data))

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return attack_markdown(self._data)

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return attack_page(self._data)

    def __repr__(self) -> str:
        count = len(self._data["attacks"]["risks"])
        return f"<AttackReport {self._data['title']!r}: {count} risks>"

    def _repr_html_(self) -> str:
        return attack_summary(self._data)


def attack_report(
    attacks: Attacks,
    generalization: Generalization,
    data: Split,
    *,
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
) -> AttackReport:
    """Write down what attackers achieved against one generalization.

    Parameters
    ----------
    attacks : Attacks
        What `sparsam.run_attacks` returned.
    generalization : Generalization
        What was attacked.
    data : Split
        The people it was attacked on.
    title : str, optional
    source : str, default="table"
        What the input is called: a file name, not a path.
    command : str, optional
        The command that attacked.

    Returns
    -------
    AttackReport
    """
    settings = {"adversaries": _adversaries(attacks)}
    return AttackReport(
        {
            "title": title or f"Attack report: {data.train.target_name}",
            "task": task_data(data),
            "collected": _collected(generalization, data),
            "attacks": cast(AttacksData, attacks.facts()),
            "meaning": list(MEANING_OF_ATTACKS),
            "reproduce": reproduce_data(data, source, command, settings),
            "confidence": 0.95,
        }
    )


def _adversaries(attacks: Attacks) -> list[str]:
    return list(dict.fromkeys(risk.id or risk.adversary for risk in attacks.risks))


def _collected(generalization: Generalization, data: Split) -> CollectedData:
    attributes = attributes_data(generalization, data.train)
    return {
        "attributes": attributes,  # type: ignore[typeddict-item]
        "n_buckets": sum(attribute["after"] for attribute in attributes),
        "n_collected": sum(attribute["collected"] for attribute in attributes),
        "information_loss": _loss(generalization, data.train.table),
    }


def _loss(generalization: Generalization, table: Table) -> float:
    present = Generalization([generalization[name] for name in table.names])
    return information_loss(present, table).overall
