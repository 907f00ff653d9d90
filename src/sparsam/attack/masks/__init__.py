"""What is left of people of whom single values are kept."""
