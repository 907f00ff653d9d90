"""What `sparsam minimise` does beside finding the least data for one target."""
