"""Import on Spark: the same log gives the same events, ids and texts as on one machine, in folders."""
