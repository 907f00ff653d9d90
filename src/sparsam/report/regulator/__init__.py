"""What a data-protection officer hands on: an assessment, and a record of processing."""
