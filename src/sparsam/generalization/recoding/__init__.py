"""What an unchanged model is fed instead of a person's own record."""
