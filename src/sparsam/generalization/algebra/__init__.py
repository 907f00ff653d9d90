"""How two generalizations compare and combine."""
