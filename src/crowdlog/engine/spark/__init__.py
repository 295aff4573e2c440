"""Counting, choosing and noise on Spark: what leaves the cluster is what is published."""
