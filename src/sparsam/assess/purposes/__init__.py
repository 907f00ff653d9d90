"""One generalization for several purposes."""
