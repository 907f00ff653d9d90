"""What a model that already runs needs, and how well it answers from that."""
