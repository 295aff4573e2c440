"""GROUND: what all measuring rests on: the log as arrays, tables as keys with counts, intervals, draws."""
