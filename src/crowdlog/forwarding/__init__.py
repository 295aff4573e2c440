"""Queries that travel: friends of friends submit a searcher's queries, so that the engine's profile of her is
a mixture (Erola, Castellà-Roca, Viejo, Mateo-Sanz 2011; docs/forwarding.md).
"""
