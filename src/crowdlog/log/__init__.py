"""READ: formats in, one event table out."""
