"""COLLECT: what many people have in common is read, the rest never: clients, randomness server, mixes,
aggregation.
"""
