"""A sample of a large table, and everyone else, who is counted where they are."""
