"""Models that tell the target from generalized records."""
