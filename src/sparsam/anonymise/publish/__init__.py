"""What is published for a class."""
