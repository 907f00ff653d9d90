"""Where collected records are kept: counts of buckets by day, and nothing finer."""
