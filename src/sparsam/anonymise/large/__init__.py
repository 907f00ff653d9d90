"""Tables that do not fit into memory: divided by their first cuts, part by part, and released."""
