"""TEST THE PROMISE: run a mechanism on neighbouring logs and look for what its promise forbids.

See docs/audit.md.
"""
