"""What the options of `sparsam anonymise` mean in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._options import claim_input, claim_output, roles_from

if TYPE_CHECKING:
    from sparsam.anonymise import Anonymiser, PrivacyModel
    from sparsam.data import BlackBox, Roles, Target

METHODS = ("hybrid", "guided", "greedy", "mondrian", "hilbert", "bulk-load", "full-domain")
FORMS = ("median", "mean", "mode", "nearest", "draw", "ranges", "hierarchy")
GUIDED = ("hybrid", "guided")


@dataclass(frozen=True)
class Paths:
    """Where everything goes: the release, its certificate and the report."""

    output: Path
    certificate: Path
    report: Path | None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Paths:
        """Find a place for each file, or say that two have the same."""
        from sparsam.anonymise import beside, check_place

        output: Path = options["output"]
        check_place(output, spreadsheet_safe=options["spreadsheet_safe"])
        certificate: Path = options["certificate"] or beside(output)
        if options["certificate"] is None:
            claim_output(certificate, "the certificate beside --output")
        for text in options["hierarchy"]:
            claim_input(Path(text.partition("=")[2].strip()), "--hierarchy")
        return cls(output, certificate, options["report"])


def release_roles(options: Mapping[str, Any]) -> Roles:
    """Roles from the file and from the options; there must be quasi-identifiers."""
    roles = roles_from(options)
    if options["quasi_identifiers"]:
        roles = replace(roles, quasi_identifiers=options["quasi_identifiers"])
    if not roles.quasi_identifiers:
        raise click.UsageError(
            "Missing option '--quasi-identifiers' (or a TOML file with --roles): the columns by "
            "which people could be recognised."
        )
    return roles


def chosen_method(options: Mapping[str, Any], roles: Roles) -> str:
    """Name the method, or say which options do not go together."""
    known = options["model"] is not None or roles.target is not None
    method: str = options["method"] or ("hybrid" if known else "greedy")
    if method in GUIDED and not known:
        raise click.UsageError(f"--method {method} must have --target or --model to go by.")
    if options["model"] is not None and method not in GUIDED:
        raise click.UsageError(f"--model goes with --method {' or '.join(GUIDED)} only.")
    if options["trust_model"] and options["model"] is None:
        raise click.UsageError("--trust-model goes with --model only.")
    if options["sweep_k"] and not known:
        raise click.UsageError("--sweep-k must have --target or --model to measure accuracy by.")
    _check_hierarchies(method, roles, options)
    return method


def _check_hierarchies(method: str, roles: Roles, options: Mapping[str, Any]) -> None:
    given = {text.partition("=")[0].strip() for text in options["hierarchy"]}
    names = set(roles.quasi_identifiers)
    form = form_of(method, options)
    if given and form != "hierarchy" and method != "full-domain":
        raise click.UsageError(
            "--hierarchy goes with --publish hierarchy or --method full-domain only."
        )
    if given - names:
        raise click.UsageError(f"--hierarchy: '{min(given - names)}' is no quasi-identifier.")
    if form == "hierarchy" and method != "full-domain" and names - given:
        raise click.UsageError(
            "--publish hierarchy must have a --hierarchy for every quasi-identifier. "
            f"'{min(names - given)}' has none."
        )


def anonymiser(
    method: str, roles: Roles, keep: Sequence[str], box: BlackBox | None, options: Mapping[str, Any]
) -> Anonymiser:
    """Make the estimator that the options describe."""
    from sparsam.anonymise import Anonymiser

    return Anonymiser(
        _method(method, box),
        quasi_identifiers=list(roles.quasi_identifiers),
        k=options["k"],
        privacy=privacy_models(options) or None,
        entity=options["entity"],
        max_suppressed=options["max_suppressed"],
        publish=form_of(method, options),
        keep=list(keep),
        hierarchies=_hierarchies(options["hierarchy"]),
        roles=roles,
        accept_unique=options["accept_unique"],
        random_state=options["seed"],
    )


def _method(name: str, box: BlackBox | None) -> Any:
    import sparsam.anonymise as folder

    method = getattr(folder, "".join(word.capitalize() for word in name.split("-")))
    return method() if box is None else method(model=box)


def form_of(method: str, options: Mapping[str, Any]) -> Any:
    """What is published: labels of hierarchies for full-domain, means elsewhere."""
    given: str | None = options["publish"]
    return given or ("hierarchy" if method == "full-domain" else "median")


def privacy_models(options: Mapping[str, Any]) -> list[PrivacyModel]:
    """What is demanded beside k."""
    from sparsam.anonymise import Closeness

    diverse = [_diversity(text) for text in options["l_diversity"]]
    close = []
    for text in options["t_closeness"]:
        name, number, *more = _parts(text, "--t-closeness", "NAME:0.2 or NAME:0.2:ordered")
        if more and more[0] not in ("equal", "ordered"):
            raise _unlike("--t-closeness", "NAME:0.2 or NAME:0.2:ordered", text)
        close.append(Closeness(float(number), name, "ordered" if "ordered" in more else "equal"))
    return [*diverse, *close]


def _diversity(text: str) -> PrivacyModel:
    from sparsam.anonymise import DistinctDiversity, EntropyDiversity, RecursiveDiversity

    looks = "NAME:3, NAME:3:entropy or NAME:3:recursive=2.5"
    name, number, *more = _parts(text, "--l-diversity", looks)
    if more == ["entropy"]:
        return EntropyDiversity(float(number), name)
    if not number.isdigit():
        raise _unlike("--l-diversity", looks, text)
    if not more:
        return DistinctDiversity(int(number), name)
    kind, sign, ratio = more[0].partition("=")
    if kind != "recursive" or not sign or not _is_number(ratio):
        raise _unlike("--l-diversity", looks, text)
    return RecursiveDiversity(float(ratio), int(number), name)


def _parts(text: str, option: str, looks: str) -> list[str]:
    """A name, a number and perhaps one more word; the name may have colons itself."""
    words = [word.strip() for word in text.split(":")]
    for n_more in (0, 1):
        at = len(words) - 1 - n_more
        if at >= 1 and _is_number(words[at]) and (name := ":".join(words[:at])):
            return [name, *words[at:]]
    raise _unlike(option, looks, text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _unlike(option: str, looks: str, text: str) -> click.UsageError:
    return click.UsageError(f"{option} must look like {looks}. Got '{text}' instead.")


def _hierarchies(texts: Sequence[str]) -> dict[str, Any] | None:
    from sparsam.generalization import Hierarchy

    hierarchies = {}
    for text in texts:
        name, sign, file = text.partition("=")
        if not sign or not name.strip() or not file.strip():
            raise _unlike("--hierarchy", "NAME=FILE.csv", text)
        if not Path(file.strip()).is_file():
            raise click.UsageError(f"--hierarchy: there is no file '{Path(file.strip()).name}'.")
        hierarchies[name.strip()] = Hierarchy.load(file.strip())
    return hierarchies or None


def is_large(data: Path, options: Mapping[str, Any]) -> bool:
    """Whether the cells of a file do not fit into the memory that it may take."""
    from sparsam._memory import memory_budget
    from sparsam.data.large import cells_fit

    return not cells_fit(data, memory_budget("--max-memory", options["max_memory"]))


def check_large_options(target: Target | None, ks: str | None, options: Mapping[str, Any]) -> None:
    """Refuse what needs a table in memory, where this one does not fit."""
    given = {
        "--model": options["model"] is not None,
        "--sweep-k": ks is not None,
        "--drop-one": options["drop_one"],
        "--spreadsheet-safe": options["spreadsheet_safe"],
        "--target with an expression": target is not None and target.kind != "as is",
    }
    named = [option for option, is_given in given.items() if is_given]
    if named:
        raise click.UsageError(
            f"{named[0]} needs the table in memory, and this one does not fit. Allow more with "
            "--max-memory, or leave it out."
        )


def whole_numbers(text: str | None) -> tuple[int, ...]:
    """The values of k to look at.

    Examples
    --------
    >>> whole_numbers("10, 50"), whole_numbers(None)
    ((10, 50), ())
    """
    words = [] if text is None else [word.strip() for word in text.split(",") if word.strip()]
    if text is not None and (not words or not all(w.isdigit() and int(w) >= 2 for w in words)):
        raise _unlike("--sweep-k", "10,20,50", text)
    return tuple(int(word) for word in words)
