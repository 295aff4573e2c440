"""TRY: seeded releases, measured and destroyed; results kept by content. Nothing is published or charged."""
