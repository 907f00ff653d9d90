"""The privacy budget on disk: accounts, charges and statements."""
