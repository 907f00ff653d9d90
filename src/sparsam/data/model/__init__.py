"""A model that already runs, and the records as it takes them."""
