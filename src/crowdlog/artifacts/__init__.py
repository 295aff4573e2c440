"""MINE: what is counted, and how its text is represented."""
