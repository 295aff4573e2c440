"""Semantic k-anonymity (Carpineto and Romano): concepts, query vectors, the graph of affine queries and its
generalized cores.
"""
