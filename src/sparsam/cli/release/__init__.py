"""Tables to release: made anonymous, and checked against their certificate."""
