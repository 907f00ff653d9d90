"""The commands that collect: what a generalization becomes where people work."""
