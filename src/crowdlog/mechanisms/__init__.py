"""PROTECT: one file per published method."""
