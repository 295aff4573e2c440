"""Searcher frustration: which searches went badly (Feild 2013, chapter 7)."""
