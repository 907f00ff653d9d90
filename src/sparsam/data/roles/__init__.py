"""What each column is for: declared, kept in a file, and proposed from its name and its values."""
