"""How a daemon of Spark makes workers: they are copies of it, with all that it has loaded."""

import gc


def make_workers() -> None:
    """Until Spark ends it."""
    from pyspark.daemon import manager

    # Workers collect garbage after every task; looking through all that is loaded took half a second each.
    gc.collect()
    gc.freeze()
    manager()  # type: ignore[no-untyped-call]
