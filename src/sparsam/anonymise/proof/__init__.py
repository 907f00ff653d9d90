"""A release, checked from its cells."""
