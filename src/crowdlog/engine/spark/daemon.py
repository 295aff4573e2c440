"""What Spark starts on each machine to make workers: it loads what tasks need once, and workers are copies of
it. Loaded by every worker for itself it would cost seconds each.
"""

import gc

import duckdb
from cryptography.hazmat.primitives import ciphers

from crowdlog.engine.spark import deciding, rounds, sequences, summary
from crowdlog.engine.spark.load import importer
from crowdlog.log.formats import FORMATS
from crowdlog.privacy.selection import kernels

LOADED = (ciphers, deciding, duckdb, FORMATS, importer, kernels, rounds, sequences, summary)

if __name__ == "__main__":
    from pyspark.daemon import manager

    # Workers collect garbage after every task; looking through all that is loaded took half a second each.
    gc.collect()
    gc.freeze()
    manager()  # type: ignore[no-untyped-call]
