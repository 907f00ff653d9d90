"""What is promised: k-anonymity, diversity, closeness."""
