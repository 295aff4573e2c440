"""Studies of the browser extension: declarative files, checked and signed here, run there."""
