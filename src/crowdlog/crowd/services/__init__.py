"""The three services of a collection: randomness, mix, aggregation. Real processes that speak HTTP."""
