"""Collect only that: use a generalization where records come in."""

from sparsam.collect._step import GeneralizationStep

__all__ = ["GeneralizationStep"]
