"""As `crowdlog.engine.spark.daemon`, with what the tasks of an import need."""

from crowdlog.engine.spark.load import importer
from crowdlog.engine.spark.workers import make_workers
from crowdlog.log.formats import FORMATS

LOADED = (importer, FORMATS)

if __name__ == "__main__":
    make_workers()
