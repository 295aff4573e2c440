"""One aggregation operator per file: the log that stands for all users of a cluster."""
