"""The networks of the neural minimisers: one that generalizes, and one that guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, Task
from sparsam.generalization import CodeTree
from sparsam.minimise._constraints import Constraints, tree_above
from sparsam.minimise._partitions import code_counts
from sparsam.minimise._splits import numbered_by_first_code

if TYPE_CHECKING:
    import torch

HIDDEN = 50
STEPS = 16  # smooth steps that a monotone network adds up
_NEVER = -1e9
_LEAST_VARIANCE = 1e-5
CLEARLY = 2.0  # times as likely


class GeneralizingNetworks:
    """For each code of each attribute, how likely it is to go to which bucket.

    Categories: a linear layer from one-hot to one logit per bucket. Numbers and ordered categories:
    a monotone network (weights that are squares, tanh, batch normalisation over all people) from
    the rank in [0, 1] to [0, 1], and minus the squared distance from the middle of each bucket,
    in widths of a bucket. A missing value among numbers: one logit per bucket of its own.

    Parameters
    ----------
    layout : Layout
    generator : torch.Generator
        On the CPU.
    device : torch.device
    """

    def __init__(self, layout: Layout, generator: torch.Generator, device: torch.device) -> None:
        import torch

        def constant(values: NDArray[np.generic]) -> torch.Tensor:
            return torch.as_tensor(values, device=device)

        k, n_attributes = layout.most, len(layout.attributes)
        line = np.flatnonzero(layout.ordered)
        self._ordered, self._owner = constant(line), constant(layout.owner)
        self._of_line = constant(layout.owner[line])
        widths = np.maximum(layout.widths, 1)
        self._closed = constant(np.arange(k) >= widths[layout.owner][:, None])
        middles = (np.arange(k) + 0.5)[None, :]
        self._middles = constant(middles.astype(np.float32))
        self._widths = constant(widths[layout.owner[line]][:, None].astype(np.float32))
        belongs = layout.owner[line] == np.arange(n_attributes)[:, None]
        people = belongs * layout.shares[line]
        self._people = constant(
            (people / np.maximum(people.sum(axis=1, keepdims=True), 1e-12)).astype(np.float32)
        )
        self._rank = self._normalised(constant(layout.ranks()[line].astype(np.float32)))

        def start(*shape: int, spread: float = 1.0) -> torch.Tensor:
            drawn = torch.randn(shape, generator=generator, dtype=torch.float32, device="cpu")
            return (drawn * spread).to(device).requires_grad_()

        # The values of an attribute start together, so that chance alone parts few of them.
        self._free, self._bias = start(len(layout.owner), k, spread=0.1), start(n_attributes, k)
        self._slope, self._place = start(n_attributes, STEPS), start(n_attributes, STEPS)
        self._height = start(n_attributes, STEPS)
        self._scale = constant(np.ones(n_attributes, dtype=np.float32)).requires_grad_()
        self._shift = constant(np.zeros(n_attributes, dtype=np.float32)).requires_grad_()

    @property
    def parameters(self) -> list[torch.Tensor]:
        """What is learned."""
        monotone = [self._slope, self._place, self._height, self._scale, self._shift]
        return [self._free, self._bias, *monotone]

    def log_table(self, temperature: float) -> torch.Tensor:
        """Logarithm of the probability of each bucket (columns) for each code (rows)."""
        import torch

        logits = self._free + torch.nn.functional.embedding(self._owner, self._bias)
        if len(self._ordered):
            distance = self._widths * self._mapped()[:, None] - self._middles
            logits = logits.index_copy(0, self._ordered, -(distance**2))
        return torch.log_softmax(logits.masked_fill(self._closed, _NEVER) / temperature, dim=1)

    def table(self, temperature: float) -> NDArray[np.float64]:
        """Probability of each bucket (columns) for each code (rows), as it was learned."""
        import torch

        with torch.no_grad():
            return self.log_table(temperature).exp().cpu().numpy().astype(np.float64)

    def _mapped(self) -> torch.Tensor:
        """The monotone map of each code that has an order to [0, 1]."""
        import torch

        def own(parameter: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.embedding(self._of_line, parameter)

        steps = torch.tanh(own(self._slope) ** 2 * self._rank[:, None] + own(self._place))
        height = self._normalised((steps * own(self._height) ** 2).sum(dim=1))
        scale, shift = (own(p[:, None])[:, 0] for p in (self._scale, self._shift))
        return (1 + torch.tanh(scale**2 * height + shift)) / 2

    def _normalised(self, values: torch.Tensor) -> torch.Tensor:
        """Mean 0 and variance 1 over all people, attribute by attribute."""
        centred = values - (self._people @ values)[self._of_line]
        variance = (self._people @ centred**2)[self._of_line]
        return centred / (variance + _LEAST_VARIANCE).sqrt()


class GuessingNetwork:
    """One hidden layer of rectified units, from a generalized record to several guesses.

    Parameters
    ----------
    layout : Layout
    outputs : sequence of int
        How many answers each guess chooses from.
    generator : torch.Generator
        On the CPU.
    device : torch.device
    """

    def __init__(
        self,
        layout: Layout,
        outputs: Sequence[int],
        generator: torch.Generator,
        device: torch.device,
    ) -> None:
        import torch

        def start(inputs: int, *shape: int) -> torch.Tensor:
            bound = 1 / np.sqrt(max(1, inputs))
            drawn = torch.rand(shape, generator=generator, dtype=torch.float32, device="cpu")
            weights: torch.Tensor = ((2 * drawn - 1) * bound).to(device)
            return weights.requires_grad_()

        n_inputs = len(layout.learned) * layout.most
        n_known = n_inputs + len(layout.kept)
        self._outputs = list(outputs)
        self._in, self._in_bias = start(n_known, n_inputs, HIDDEN), start(n_known, HIDDEN)
        self._out = start(HIDDEN, HIDDEN, sum(outputs))
        self._out_bias = start(HIDDEN, sum(outputs))
        # Attributes at full resolution enter by their place in the line of codes.
        n_codes = len(layout.owner) if len(layout.kept) else 0
        self._full = start(n_known, n_codes, HIDDEN)

    @property
    def parameters(self) -> list[torch.Tensor]:
        """What is learned."""
        return [self._in, self._in_bias, self._out, self._out_bias, self._full]

    def losses(
        self, buckets: torch.Tensor, full: torch.Tensor, answers: torch.Tensor
    ) -> torch.Tensor:
        """Mean cross-entropy of each guess.

        Parameters
        ----------
        buckets : tensor of shape (n_rows, n_learned, n_buckets)
        full : tensor of int of shape (n_rows, n_kept)
            Places in the line of codes.
        answers : tensor of int of shape (n_rows, n_guesses)
        """
        import torch

        hidden = torch.addmm(self._in_bias, buckets.flatten(1), self._in)
        if full.shape[1]:
            hidden = hidden + torch.nn.functional.embedding(full, self._full).sum(dim=1)
        logits = torch.addmm(self._out_bias, torch.relu(hidden), self._out)
        guesses = torch.split(logits, self._outputs, dim=1)
        return torch.stack(
            [
                torch.nn.functional.cross_entropy(guess, answers[:, q])
                for q, guess in enumerate(guesses)
            ]
        )


@dataclass(frozen=True, eq=False, repr=False)
class Layout:
    """All codes of all attributes in one line, and how many buckets each attribute may have.

    Attributes
    ----------
    attributes : tuple of Attribute
    starts : ndarray of int
        Where the codes of each attribute begin in the line.
    owner : ndarray of int
        The attribute of each code in the line.
    shares : ndarray of float
        For each code in the line, the share of people who have it.
    widths : ndarray of int
        The most buckets of each attribute; none (0) for one that is kept at full resolution.
    ordered : ndarray of bool
        Whether each code in the line stands in an order that buckets must respect.
    """

    attributes: tuple[Attribute, ...]
    starts: NDArray[np.int64]
    owner: NDArray[np.int64]
    shares: NDArray[np.float64]
    widths: NDArray[np.int64]
    ordered: NDArray[np.bool_]

    @property
    def most(self) -> int:
        """The most buckets of any attribute."""
        return max(1, int(self.widths.max(initial=0)))

    @property
    def learned(self) -> NDArray[np.int64]:
        """The attributes that are generalized."""
        return np.flatnonzero(self.widths > 0)

    @property
    def kept(self) -> NDArray[np.int64]:
        """The attributes that are kept at full resolution."""
        return np.flatnonzero(self.widths == 0)

    def codes_of(self, attribute: int) -> slice:
        """Where the codes of an attribute lie in the line."""
        start = int(self.starts[attribute])
        return slice(start, start + self.attributes[attribute].size)

    def ranks(self) -> NDArray[np.float64]:
        """For each code in the line, the share of people below it and half of those with it."""
        ranks = np.zeros(len(self.owner))
        for a in range(len(self.attributes)):
            own = self.shares[self.codes_of(a)]
            ranks[self.codes_of(a)] = np.cumsum(own) - own / 2
        return ranks


def layout_of(task: Task, constraints: Constraints, buckets: int) -> Layout:
    """Lay out the codes of a task under a limit on the buckets of each attribute.

    Parameters
    ----------
    task : Task
    constraints : Constraints
    buckets : int
        The most buckets of an attribute for which the constraints name no lower limit.
    """
    attributes = task.table.attributes
    sizes = np.array(task.sizes, dtype=np.int64)
    counts = np.concatenate(code_counts(task.codes, task.sizes))
    ordered = [
        np.arange(a.size) < (a.n_values if _has_order(a, constraints) else 0) for a in attributes
    ]
    return Layout(
        attributes=attributes,
        starts=np.cumsum(sizes) - sizes,
        owner=np.repeat(np.arange(len(sizes)), sizes),
        shares=counts / max(1, task.n_rows),
        widths=np.array([_width(a, constraints, buckets) for a in attributes], dtype=np.int64),
        ordered=np.concatenate(ordered),
    )


def _has_order(attribute: Attribute, constraints: Constraints) -> bool:
    return attribute.ordered and attribute.name not in constraints.hierarchies


def _width(attribute: Attribute, constraints: Constraints, buckets: int) -> int:
    if attribute.name in constraints.must_keep:
        return 0
    if attribute.name in constraints.must_drop:
        return 1
    return min(buckets, constraints.max_buckets.get(attribute.name, buckets))


def likeliest_buckets(layout: Layout, table: NDArray[np.float64]) -> NDArray[np.int64]:
    """The likeliest bucket of each code in the line.

    A code that has no order leaves the attribute's likeliest bucket only for one that is clearly
    likelier: where networks found no reason to tell values apart, chance must not.

    Parameters
    ----------
    layout : Layout
    table : ndarray of float
        Probability of each bucket (columns) for each code (rows).
    """
    likeliest = table.argmax(axis=1)
    everyone = np.zeros((len(layout.attributes), table.shape[1]))
    np.add.at(everyone, layout.owner, layout.shares[:, None] * table)
    common = everyone.argmax(axis=1)[layout.owner]
    lines = np.arange(len(table))
    clearly = table[lines, likeliest] >= CLEARLY * table[lines, common]
    return np.asarray(np.where(layout.ordered | clearly, likeliest, common), dtype=np.int64)


def settled(
    layout: Layout, constraints: Constraints, likeliest: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Buckets that the constraints allow, from the likeliest bucket of each code in the line.

    The buckets of an ordered attribute are runs. A code that nobody has joins the most common
    bucket, unless an order places it. A hierarchy is opened from the top, wherever more than a
    certain share of a node's people would belong to another bucket than most of them; the share is
    the least that keeps the attribute within its limit.
    """
    buckets = []
    for a, attribute in enumerate(layout.attributes):
        codes = layout.codes_of(a)
        bucket, shares, ordered = likeliest[codes], layout.shares[codes], layout.ordered[codes]
        # The networks are monotone but for rounding.
        bucket = np.where(ordered, np.maximum.accumulate(bucket), bucket)
        common = np.bincount(bucket, weights=shares).argmax()
        bucket = np.where(ordered | (shares > 0), bucket, common)
        if attribute.name in constraints.hierarchies and layout.widths[a] > 0:
            tree = tree_above(attribute, constraints.hierarchies[attribute.name])
            bucket = _nodes(tree, bucket, shares, int(layout.widths[a]))
        buckets.append(numbered_by_first_code(bucket))
    return buckets


def _nodes(
    tree: CodeTree, bucket: NDArray[np.int64], shares: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """The finest nodes within the limit that are opened where they hold the most strangers."""

    def strangers(codes: list[int]) -> float:
        people = np.bincount(bucket[codes], weights=shares[codes])
        return float(people.sum() - people.max())

    seen = {0.0}

    def note(codes: list[int]) -> bool:
        seen.add(strangers(codes))
        return False  # so that every node is opened

    tree.coarsest(note, len(bucket))
    for allowed in sorted(seen):
        nodes = tree.coarsest(lambda codes: strangers(codes) <= allowed, len(bucket))  # noqa: B023
        if nodes.max() < most:
            break
    return nodes
