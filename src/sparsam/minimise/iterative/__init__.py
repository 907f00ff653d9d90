"""Take away what an attribute can do without, one step at a time."""
