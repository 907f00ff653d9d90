"""A generalization as SQL, in many dialects; needs sqlglot, the extra `sql`."""
