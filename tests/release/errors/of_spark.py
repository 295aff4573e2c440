"""Errors of a release that counts on Spark: one that cannot be had, and one that fails half-way."""

from __future__ import annotations

import gc
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from crowdlog.engine.choice import find_engine
from crowdlog.errors import InputError
from crowdlog.files.address import Address
from crowdlog.log.store import LogStore
from tests.release.errors.bench import MECHANISM, QUERY, Bench, Case, Cases

HERE = "spark:local[1]"


def on_spark(bench: Bench, spelling: str = MECHANISM, engine: str = HERE) -> None:
    # Java's second compiler does not pay for so little work.
    bench.patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    bench.publish(spelling, engine=find_engine(engine), i_know=True)


def without_pyspark(bench: Bench) -> None:
    bench.patch.setitem(sys.modules, "pyspark", None)
    on_spark(bench)


def without_java(bench: Bench) -> None:
    bench.patch.setenv("PATH", str(bench.folder))
    bench.patch.delenv("JAVA_HOME", raising=False)
    on_spark(bench)


@contextmanager
def new_java(bench: Bench) -> Iterator[None]:
    """As in a process that has not started Spark yet: settings of an earlier session stay in its Java."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    with bench.patch.context() as patch:
        for kept in ("_gateway", "_jvm", "_active_spark_context"):
            patch.setattr(SparkContext, kept, None)
        patch.setattr(SparkSession, "_instantiatedSession", None)
        try:
            yield
        finally:
            if SparkContext._gateway is not None:
                SparkContext._gateway.shutdown()
                SparkContext._gateway.proc.stdin.close()
                SparkContext._gateway.proc.wait()


def java_that_ends_at_once(bench: Bench) -> None:
    java = bench.folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o700)
    bench.patch.setenv("JAVA_HOME", str(bench.folder / "java"))
    said = ""
    with new_java(bench), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # PySpark leaves the pipe to its Java open
        try:
            on_spark(bench)
        except InputError as error:
            said = str(error)
        gc.collect()
    raise InputError(said)


def no_master(bench: Bench) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: a connection is refused
        on_spark(bench, engine=f"spark:spark://127.0.0.1:{taken.getsockname()[1]}")


def yarn_that_nobody_told_of(bench: Bench) -> None:
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        bench.patch.delenv(name, raising=False)
    on_spark(bench, engine="spark:yarn")


def no_worker(bench: Bench) -> None:
    from crowdlog.engine.spark import session
    from tests.support.spark_cluster import cluster

    bench.patch.setattr(session, "WORKER_SECONDS", 2)
    with cluster(bench.folder / "cluster", workers=0) as running, new_java(bench):
        on_spark(bench, engine=f"spark:{running.address}")


def failing(said: str) -> Case:
    """A release whose counting Spark ends with this, after the charge."""

    def case(bench: Bench) -> None:
        from crowdlog.engine.spark.source import SparkSource

        def decide(source: Any, *_words: Any) -> None:
            source.engine.session.sql(f"select 1 where raise_error('{said} {QUERY}') is null").count()

        bench.patch.setattr(SparkSource, "_decide", decide)
        on_spark(bench)

    return case


def not_started(master: str) -> Case:
    """What Java says of a setting, in many classes of errors."""

    def case(_bench: Bench) -> None:
        from crowdlog.engine.spark import session

        raise session._not_started(master, RuntimeError("a setting is wrong\n\tat java"))

    return case


def unreached(bench: Bench) -> None:
    """A folder that is a file."""
    (bench.folder / "file").touch()
    Address.of(f"file://{bench.folder}/file/below").open()


SPARK_ERRORS: Cases = {
    "files/address.py": {
        "A store is a folder on this machine": lambda bench: LogStore.open("s3://bucket/store"),
        "is no address of a known kind": lambda bench: Address.of("ftp://host/folder"),
        "An address must not hold a password": lambda bench: Address.of("s3://who:secret@bucket/log"),
        "cannot be reached": unreached,
    },
    "engine/spark/session.py": {
        "needs PySpark, which is not installed": without_pyspark,
        "Java ended before Spark was there": java_that_ends_at_once,
        "did not take this work": not_started("spark://127.0.0.1:7077"),
        "Spark could not be started at": not_started("local[2]"),
        "No worker of": no_worker,
        "there is no java here": without_java,
        "No Spark master answers": no_master,
        "Spark knows no master": lambda bench: on_spark(bench, engine="spark:nonsense"),
        "Spark learns from Hadoop's settings": yarn_that_nobody_told_of,
    },
    "engine/spark/source.py": {
        "sequences are of queries as they are": lambda bench: on_spark(
            bench, "ASession(epsilon=1, delta=1e-3, l_s=2, l_q=3, representation='light')"
        ),
        "This way to choose keys is not known": lambda bench: on_spark(
            bench, "Nebula(epsilon=1, delta=1e-8, p=0.105, d=5)"
        ),
    },
    "engine/spark/failures.py": {
        # the sentence of an error of ours that a task made
        "": failing("crowdlog.errors.InputError: The file of this task is cut short.\\n\\tat java"),
        "ran out of memory on Spark": failing("java.lang.OutOfMemoryError: Java heap space"),
        "lost its Python workers on Spark": failing("Python worker exited unexpectedly (crashed)"),
        "lost its machines on Spark": failing("ExecutorLostFailure (executor 3 exited: worker lost)"),
    },
}
SPARK_PARTS: Cases = {
    "engine/spark/failures.py": {"If a release was charged": failing("java.lang.OutOfMemoryError")}
}
