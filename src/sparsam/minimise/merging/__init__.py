"""Split and merge the buckets of all attributes together."""
