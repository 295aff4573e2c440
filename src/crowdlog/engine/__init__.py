"""COUNT: relational expressions over the log store."""
