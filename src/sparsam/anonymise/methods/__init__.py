"""Ways to divide people into classes."""
