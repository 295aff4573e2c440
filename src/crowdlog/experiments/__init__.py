"""TRY: seeded releases in worker processes, measured, destroyed, and their results kept by content. Nothing is published or charged."""
