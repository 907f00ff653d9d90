"""Minimise for a model that already runs."""
