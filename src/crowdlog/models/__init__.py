"""LEARN: models made from the tables of a log or of a release: they rank, suggest and cluster. Who judges them is elsewhere."""
