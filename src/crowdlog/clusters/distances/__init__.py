"""One distance between users per file. Each is a `Distance` of base.py."""
