"""As `crowdlog.engine.spark.daemon`, with what the tasks of an import need."""

import numpy as np

from crowdlog.engine.spark.load import importer
from crowdlog.engine.spark.load.packed_texts import PackedTexts
from crowdlog.engine.spark.workers import make_workers
from crowdlog.log.encode import Dictionary
from crowdlog.log.formats import FORMATS

LOADED = (importer, FORMATS)


def try_loops() -> object:
    return Dictionary().encode(PackedTexts(np.zeros(1, np.uint8), np.ones(1, np.int64)).as_texts())


if __name__ == "__main__":
    make_workers(try_loops)
