"""What Spark starts on each machine to make workers: it loads what tasks need once, and workers are copies of
it. Loaded by every worker for itself it would cost seconds each. This one is for counting; that of imports is
in `load`.
"""

import duckdb
import pyarrow as pa
from cryptography.hazmat.primitives import ciphers

from crowdlog.engine.spark import blocks, deciding, rounds, sequences, summary
from crowdlog.engine.spark.workers import make_workers
from crowdlog.privacy.selection import kernels

LOADED = (ciphers, deciding, duckdb, kernels, rounds, sequences, summary)


def try_loops() -> object:
    return blocks.user_block(pa.table({"user": [0], "key": [0]}))


if __name__ == "__main__":
    make_workers(try_loops)
