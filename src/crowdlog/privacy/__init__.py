"""TRUST: everything a privacy guarantee rests on. Imports nothing of ours but the errors."""
