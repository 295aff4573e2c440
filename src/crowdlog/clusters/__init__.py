"""ALIKE: partitions of users into clusters of at least k, and how far users are from each other.

Distances are whole numbers (units of 2⁻²⁴), so sums do not depend on their order: the same log gives the same
partition on any number of threads and on any machine.
"""
