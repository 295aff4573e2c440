"""LEARN: models made from the tables of a log or of a release. They rank, suggest and cluster."""
