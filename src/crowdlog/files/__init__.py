"""Files that are there whole or not at all, locks that die with their process, and paths that mean
themselves.
"""
