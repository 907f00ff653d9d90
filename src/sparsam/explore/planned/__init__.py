"""All tables at once, and everything else worked out from them."""
