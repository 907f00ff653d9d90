"""Accuracy and risk along the share that is kept."""
