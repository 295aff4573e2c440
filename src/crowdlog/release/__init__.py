"""PUBLISH: the release folder and its label."""
