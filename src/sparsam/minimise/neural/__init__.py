"""Minimisers that are neural networks."""
