"""One question, one charge."""
