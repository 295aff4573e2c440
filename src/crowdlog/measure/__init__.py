"""GROUND: what all measuring rests on: the log as arrays, its tables as keys with counts, one numbering of texts, intervals, repeatable draws."""
