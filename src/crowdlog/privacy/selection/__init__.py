"""Which keys may be named: one file per method. Every method sees numbers only and returns the kept ones."""
