"""Compiled loops over the codes of people who are divided into classes."""
