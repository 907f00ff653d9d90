"""Rows that nobody has."""
