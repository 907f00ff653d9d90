"""Sections that reports have in common."""
