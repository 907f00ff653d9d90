"""Tables whose rows stay in an engine: DuckDB, Spark, or a lazy frame of polars."""
