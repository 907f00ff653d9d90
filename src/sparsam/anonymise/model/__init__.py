"""A model that is trained again on anonymised people."""
