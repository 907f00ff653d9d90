"""Trees that are charged for what they reveal."""
