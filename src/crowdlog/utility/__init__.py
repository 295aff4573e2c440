"""USE: what a release is good for, measured against the log it came from. One measure per file."""
