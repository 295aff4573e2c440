"""Attacks on queries that travel, which the seed does not make: each against chance, with and without
repairs.
"""
