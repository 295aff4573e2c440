"""WHAT IS PROMISED OF EACH TABLE, as data: what is counted, how much of one person, who may be named, with
which noise.

A mechanism says it before it sees any data (`Promise.tables`). Counting, deciding, labels, error bars, audits
and attacks read it here and nowhere else; nobody learns what a mechanism does from the names of its
parameters.
"""
