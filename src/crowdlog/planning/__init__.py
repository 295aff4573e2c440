"""PLAN: what an owner wants to know before she releases: promise, cost, budget, figures of her log.

Functions that return typed results; `json_safe` makes plain data of them. Commands and pages show them.
"""
