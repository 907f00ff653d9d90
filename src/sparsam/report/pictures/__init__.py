"""The pictures of the reports, one module for each report."""
