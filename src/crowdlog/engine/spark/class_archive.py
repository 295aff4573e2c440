"""Java's classes of Spark, kept as Java has them in memory: loading them is a quarter of what a start costs.

`python -m crowdlog.engine.spark.class_archive` writes the archive, once on each machine of a cluster and for
each user that runs Spark there. Without one, or with one of another Java or Spark, Java loads as always.
It holds classes alone, nothing of any log.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any


def archive() -> Path:
    """Where it is, or would be."""
    import pyspark

    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "crowdlog" / f"spark-{pyspark.__version__}.jsa"


def java_options() -> str:
    """What makes Java use it, if it is there. On a cluster the workers look at the same path."""
    place = archive()
    # Spark splits options at spaces
    return f" -XX:SharedArchiveFile={place}" if place.is_file() and " " not in str(place) else ""


def make() -> Path:
    """Start a Spark, do of each kind of work a little, and keep the classes it needed. Call it in a process
    of its own: one process has one Java.
    """
    from crowdlog.engine.spark.session import SLOW_TO_COMPILE, start
    from crowdlog.files.scratch import Scratch
    from crowdlog.files.whole import new_file

    folder = Scratch("classes")
    try:
        written = folder.path / "classes.jsa"
        options = f"{SLOW_TO_COMPILE} -XX:ArchiveClassesAtExit={written}"
        context, spark_files = start("local[2]", {"spark.driver.defaultJavaOptions": options})
        try:
            _work(context)
        finally:
            java = context._gateway.proc
            context.stop()
            context._gateway.shutdown()
            java.stdin.close()  # Java ends when nobody is there any more, and writes the archive then
            java.wait()
            spark_files.cleanup()
        place = archive()
        place.parent.mkdir(parents=True, exist_ok=True)
        with written.open("rb") as source, new_file(place) as target:
            shutil.copyfileobj(source, target)
    finally:
        folder.cleanup()
    return place


def _work(context: Any) -> None:
    """Shuffles of bytes, a broadcast, and a join by SQL: what imports and releases do."""
    from pyspark.sql import SparkSession

    shared = context.broadcast(b"0" * 1000)
    pairs = context.parallelize(range(1000), 2).map(lambda n: (n % 7, bytes(n) + shared.value))
    pairs.groupByKey(3).mapValues(len).collect()
    session = SparkSession(context)
    left = session.range(100).withColumnRenamed("id", "key")
    left.join(left, "key").groupBy("key").count().collect()


if __name__ == "__main__":
    print(make())
