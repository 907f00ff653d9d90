"""Anonymise a file: divide its people, write the release, read it again and certify it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rich_click as click
from numpy.typing import NDArray

from sparsam._writing import draft_of, put_in_place
from sparsam.cli._anonymise_options import Paths, anonymiser, names_in
from sparsam.cli._anonymise_sweep import gone, measure_ks, rows_of
from sparsam.cli._anonymise_target import with_target
from sparsam.cli._command_line import command_line, file_hash
from sparsam.cli._console import messages

if TYPE_CHECKING:
    from sparsam.anonymise import Anonymiser, Certificate
    from sparsam.data import BlackBox, Roles
    from sparsam.report import ReleaseReport

_PICKLED = (".joblib", ".pkl", ".pickle")
# A number with no more values than this is a label.
_FEW = 20


@dataclass(frozen=True, eq=False, repr=False)
class Work:
    """The rows, how they are divided, and what guides that."""

    data: Path
    frame: Any
    labels: NDArray[Any] | None
    method: Anonymiser
    box: BlackBox | None
    options: Mapping[str, Any]

    @classmethod
    def of(cls, data: Path, roles: Roles, method: str, options: Mapping[str, Any]) -> Work:
        """Read the rows, and say which columns will not come out."""
        from sparsam._checks import check_names
        from sparsam.data import column_names
        from sparsam.data.model import open_own

        box = _load(options)
        text = [*roles.categorical, *roles.ordered]
        frame = open_own(data, roles.missing_values, text).native
        frame, roles, target = with_target(frame, roles)
        names = column_names(frame)
        keep = names_in(options["keep"])
        check_names([*roles.quasi_identifiers, *keep], names)
        if target is not None and target not in keep:
            keep.append(target)
        made = anonymiser(method, roles, keep, box, options)
        said = messages(options["quiet"])
        left_out = [n for n in names if n not in {*keep, *roles.quasi_identifiers}]
        if left_out:
            said.print(f"Left out: {', '.join(left_out)} (--keep publishes a column as it is).")
        hidden = [n for n in made._promise().needs if n in left_out]
        if hidden:
            said.print(
                f"Note: sparsam verify cannot check what is promised about {', '.join(hidden)}, "
                "which is not published."
            )
        return cls(data, frame, _labels(frame, roles), made, box, options)

    def _guide(self) -> NDArray[Any] | None:
        return None if self.labels is None else _known(self.labels)

    def _evidence(self, ks: tuple[int, ...], drop: bool) -> dict[str, Any]:
        """Measure what only the report shows."""
        from sparsam.anonymise import drop_one

        found: dict[str, Any] = {}
        console = messages(self.options["quiet"])
        if drop:
            with console.working("Leaving out one quasi-identifier at a time …"):
                found["drop_one"] = drop_one(self.frame, self._guide(), method=self.method)
        if ks:
            truth, whose = self._truth()
            rows = np.flatnonzero([not gone(value) for value in truth.tolist()])
            with console.working("Trying every k …"):
                measured = measure_ks(
                    self.method,
                    rows_of(self.frame, rows),
                    _known(_typed(truth[rows])),
                    ks,
                    self.options["seed"],
                    whose,
                )
            found |= {"sweeps": measured.sweeps, "scores": measured.scores}
        return found

    def _truth(self) -> tuple[NDArray[Any], str]:
        """The true labels, or what the model says where there are none."""
        if self.labels is not None:
            return self.labels, "the target"
        if self.box is None:
            raise click.UsageError("--sweep-k must have --target or --model.")
        answers = self.box.predict(self.frame)
        return answers.astype(np.float64) if self.box.regression else answers, "the model’s answers"

    def release(self, paths: Paths, ks: tuple[int, ...]) -> ReleaseReport:
        """Publish, shuffle, write, read again, check, and then put the files where they belong."""
        from sparsam.anonymise.proof._cells import cells_hash
        from sparsam.anonymise.publish._order import row_order
        from sparsam.data import column_names, columns_of, count_rows, write_columns
        from sparsam.data.source import without_formulas
        from sparsam.report import release_report

        with messages(self.options["quiet"]).working("Dividing people into classes …"):
            made = self.method.fit_transform(self.frame, self._guide())
        order = row_order(made, self.options["seed"])
        cells = {name: one[order] for name, one in columns_of(made, column_names(made)).items()}
        checked = self.method.certificate_.sha256
        if self.options["spreadsheet_safe"]:
            cells = without_formulas(cells)
            checked = cells_hash(cells)
        with draft_of(paths.output) as draft:
            write_columns(cells, draft)
            unpublished = {name: values[order] for name, values in self._unpublished().items()}
            certificate = _certified(draft, self.method.certificate_, unpublished, checked)
            # A certificate without its release proves nothing; a release without one could be used.
            certificate.save(paths.certificate)
            put_in_place(draft, paths.output)
        said = messages(self.options["quiet"])
        said.print(f"Wrote the release to {paths.output}.")
        said.print(f"Wrote the certificate to {paths.certificate}.")
        return release_report(
            paths.output,
            certificate,
            unpublished=unpublished,
            **self._evidence(ks, self.options["drop_one"]),
            title=f"Anonymisation report: {self.data.name}",
            source=self.data.name,
            rows=count_rows(self.frame),
            command=command_line(),
            facts=self._facts(),
        )

    def _unpublished(self) -> dict[str, NDArray[Any]]:
        """The columns that promises speak about and that are not published."""
        from sparsam.data import columns_of

        paper = self.method.certificate_
        needed = {name for terms in paper.demands for name in terms.needs} - {*paper.columns}
        rows = np.flatnonzero(self.method.classes_.of_row >= 0)
        found = columns_of(self.frame, sorted(needed))
        return {name: np.asarray(values)[rows] for name, values in found.items()}

    def _facts(self) -> dict[str, Any]:
        model: Path | None = self.options["model"]
        if model is None:
            return {}
        return {"model": model.name, "SHA-256 of the model": file_hash(model)}


def _certified(
    file: Path, made: Certificate, unpublished: Mapping[str, NDArray[Any]], checked: str
) -> Certificate:
    """Check the cells of the file itself, and certify them: writing may change a cell."""
    from sparsam._errors import ReleaseError
    from sparsam.anonymise import certify

    found = certify(
        file,
        made.quasi_identifiers,
        made.demands,
        suppressed=made.suppressed,
        unpublished=unpublished,
        information_loss=made.information_loss,
        parameters=made.parameters,
    )
    if found.sha256 != checked:
        raise ReleaseError(
            "The file must have the cells that were checked. It has others after it was written, "
            "and nothing was released.\n\nHint: a .parquet file keeps values as they are."
        )
    return found


def _load(options: Mapping[str, Any]) -> BlackBox | None:
    from sparsam.data import load_model

    model: Path | None = options["model"]
    if model is None:
        return None
    if options["trust_model"] and model.suffix.lower() in _PICKLED:
        messages(options["quiet"]).print(
            f"Loading {model.name}: this runs the code inside the file."
        )
    return load_model(model, trust=options["trust_model"])


def _labels(frame: Any, roles: Roles) -> NDArray[Any] | None:
    """The true labels, or numbers as floats; None where there is no target."""
    from sparsam.assess._model_answers import labels_in
    from sparsam.data import count_rows

    found = labels_in(frame, roles, np.arange(count_rows(frame)))
    return None if found is None else _typed(found)


def _typed(labels: NDArray[Any]) -> NDArray[Any]:
    """Floats where the target is a number, objects elsewhere."""
    from sparsam.data import read

    if labels.dtype != object:
        return labels
    column = read({"target": labels}).attributes[0]
    return labels.astype(np.float64) if column.numeric and column.n_values > _FEW else labels


def _known(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels to go by: that one is missing is a label of its own."""
    from sparsam._errors import DataError

    if labels.dtype.kind == "f":
        if np.isnan(labels).any():
            raise DataError(
                "A target of numbers must have one in every row. "
                f"{int(np.isnan(labels).sum()):,} of {len(labels):,} are missing."
            )
        return labels
    return np.array(["missing" if gone(v) else f"= {v}" for v in labels.tolist()], dtype=object)
