"""What a user demands of a generalization beside utility and privacy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from sparsam._checks import check_whole
from sparsam._errors import ParameterError, hint
from sparsam.data import Attribute, CategoricalDomain, Category, Task
from sparsam.generalization import CodeTree, Hierarchy
from sparsam.minimise._ranges import MAX_RANGES

Ancestors = Mapping[Category, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """Demands that every generalization must meet.

    Parameters
    ----------
    must_keep : sequence of str
        Attributes that stay at full resolution, whatever the task needs.
    must_drop : sequence of str
        Attributes that may not be collected at all.
    max_buckets : mapping of str to int
        The most buckets that an attribute may have.
    max_ranges : int or None, default=32
        The most ranges that a number is cut into, where utility allows it: nobody can answer for
        hundreds. A wish, where `max_buckets` is a demand: what cannot do with fewer has more.
    hierarchies : mapping of str to Hierarchy or to (mapping of category to sequence of str)
        For each category its ancestors, from the nearest to the farthest. A bucket is then always
        one node of the hierarchy: a category, or everything below one ancestor.

    Examples
    --------
    >>> Constraints(must_drop=["race"], max_buckets={"age": 3}).must_drop
    ['race']
    """

    must_keep: Sequence[str] = ()
    must_drop: Sequence[str] = ()
    max_buckets: Mapping[str, int] = field(default_factory=dict)
    max_ranges: int | None = MAX_RANGES
    hierarchies: Mapping[str, Hierarchy | Ancestors] = field(default_factory=dict)

    def check(self, task: Task) -> None:
        """Raise an error where the demands name unknown attributes or contradict each other."""
        for name, names in (
            ("must_keep", self.must_keep),
            ("must_drop", self.must_drop),
            ("max_buckets", self.max_buckets),
            ("hierarchies", self.hierarchies),
        ):
            _check_names(name, names, task)
        both = set(self.must_keep) & {*self.must_drop, *self.max_buckets}
        if both:
            raise ParameterError(
                f"An attribute in 'must_keep' must be in neither 'must_drop' nor 'max_buckets'. "
                f"Got {sorted(both)} in both."
            )
        for name, most in self.max_buckets.items():
            check_whole("Constraints", f"max_buckets['{name}']", most, 1)
        if self.max_ranges is not None:
            check_whole("Constraints", "max_ranges", self.max_ranges, 2)
        for name in self.hierarchies:
            self._check_hierarchy(name, task)

    def trees(self, task: Task) -> dict[int, CodeTree]:
        """The trees of groups that the hierarchies make, by number of the attribute."""
        return {
            task.names.index(name): tree_above(task.table.attribute(name), hierarchy)
            for name, hierarchy in self.hierarchies.items()
        }

    def _check_hierarchy(self, name: str, task: Task) -> None:
        domain = task.table.attribute(name).domain
        if not isinstance(domain, CategoricalDomain):
            raise ParameterError(
                f"A hierarchy groups categories, but '{name}' is numeric.\n\n"
                f"Hint: declare it categorical in the roles, or leave the hierarchy out."
            )
        hierarchy = self.hierarchies[name]
        if isinstance(hierarchy, Hierarchy):
            hierarchy.tree(task.table.attribute(name))  # an error says what it does not cover
            return
        lost = [c for c in domain.categories if c not in hierarchy]
        if lost:
            raise ParameterError(
                f"The hierarchy of '{name}' must cover every category of its domain. "
                f"{len(lost)} of {len(domain.categories)} have no entry, the first at position "
                f"{domain.categories.index(lost[0])} of the domain."
            )
        _check_ancestors(name, hierarchy)


def tree_above(attribute: Attribute, hierarchy: Hierarchy | Ancestors) -> CodeTree:
    """The tree of groups above the codes of an attribute."""
    if not isinstance(hierarchy, Hierarchy):
        hierarchy = Hierarchy.from_ancestors(hierarchy)
    return hierarchy.tree(attribute)


def _check_ancestors(name: str, ancestors: Ancestors) -> None:
    above: dict[str, Sequence[str]] = {}
    for line in ancestors.values():
        if isinstance(line, str):
            raise ParameterError(
                f"The hierarchy of '{name}' must give each category a list of its ancestors. "
                f"Got one text instead.\n\nHint: write ['{line}'] for a single ancestor."
            )
        for level, group in enumerate(line):
            higher = tuple(line[level + 1 :])
            if above.setdefault(group, higher) != higher:
                raise ParameterError(
                    f"The hierarchy of '{name}' must have each group at one place. "
                    f"Got '{group}' below different ancestors."
                )


def _check_names(parameter: str, names: Iterable[str], task: Task) -> None:
    if isinstance(names, str):
        raise ParameterError(
            f"The '{parameter}' parameter of Constraints must be a list of names. "
            f"Got one text instead.\n\nHint: write ['{names}']."
        )
    for name in names:
        if name in task.names or (parameter == "must_drop" and name in task.table.left_out):
            continue
        if name in task.table.left_out:
            raise _left_out(parameter, name, task)
        near = get_close_matches(name, task.names, n=1)
        meant = f" Did you mean '{near[0]}'?" if near else ""
        raise ParameterError(
            f"'{parameter}' names '{name}', which is not an attribute of the table.{meant}"
        )


def _left_out(parameter: str, name: str, task: Task) -> ParameterError:
    """The error for a column that is in the table, and not used."""
    about = f"{name}: "
    notes = (note.removeprefix(about) for note in task.table.notes if note.startswith(about))
    why = next(notes, "it is not used").split(" (")[0]
    option = f"--{parameter.replace('_', '-')}"
    way_out = hint(f"take it out of '{parameter}'", f"take it out of {option}")
    if "identifier, as" in why:  # a guess, which whoever knows better may correct
        way_out = hint(
            f"declare it categorical or numeric in the roles, or take it out of '{parameter}'",
            f"--categorical '{name}' or --numeric '{name}' if it is none, or take it out of "
            f"{option}",
        )
    return ParameterError(f"'{parameter}' names '{name}', which is not used: {why}.{way_out}")
