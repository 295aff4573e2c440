"""A running Spark: on this machine's cores, or on a cluster."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crowdlog.engine.spark.class_archive import java_options
from crowdlog.errors import InputError
from crowdlog.files.scratch import Scratch

# How Spark spells masters: this machine's cores, and how often a task is tried; clusters.
_KNOWN = re.compile(r"local(\[(\*|[1-9]\d*)(,[1-9]\d*)?\])?|yarn|(spark|k8s)://.+")
CONNECT_SECONDS = 5
WORKER_SECONDS = 120
# Nothing of a session on one machine can be reached from another.
ALONE = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
}
# Unless spark-defaults.conf says otherwise: tasks run inside the driver there, and Spark's own 1 GB is for a
# driver alone.
DEFAULTS_ALONE = {"spark.driver.memory": "2g"}
# Java moves bytes for us and lives for a minute. Its second compiler pays where bytes are encrypted, and is a
# third of the start if every method that its own defaults find warm goes through it: ten times those.
SLOW_TO_COMPILE = (
    "-XX:+IgnoreUnrecognizedVMOptions -XX:Tier4InvocationThreshold=50000 "
    "-XX:Tier4MinInvocationThreshold=6000 -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
# An executor holds little that lives long: Java's simple collector takes a tenth less CPU than its usual one,
# whose threads and checks cost more than they clear. Java starts with one collector or not at all.
SIMPLE_COLLECTOR = "-XX:+UseSerialGC "
# A driver whose tasks run elsewhere moves next to nothing.
FIRST_COMPILER = "-XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1"
SETTINGS = {
    "spark.app.name": "crowdlog",
    "spark.ui.enabled": "false",
    # An event log would keep the text of every statement, and with it the secret of bounds by lot.
    "spark.eventLog.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # The logs of executors, which the cluster keeps.
    "spark.log.level": "OFF",
    "spark.executor.syncLogLevel.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    # Shuffles, spills and broadcasts on disk are encrypted with a key that only the running program knows.
    "spark.io.encryption.enabled": "true",
    "spark.io.encryption.keySizeBits": "256",
    # Text is never compared by a collation of the machine, and results never cut.
    "spark.sql.ansi.enabled": "true",
    "spark.driver.maxResultSize": "0",
    "spark.python.daemon.module": "crowdlog.engine.spark.daemon",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 17),
}


def start(master: str, options: dict[str, str], tasks: int | None = None) -> tuple[Any, Any]:
    """Spark's context, and the folder of its temporary files; or one sentence that says what is missing.
    `tasks`: how many there will be at once, so that a cluster starts no Java for nothing.

    Not a session: Spark's SQL takes seconds to load, and most work does without it.
    """
    try:
        from pyspark import SparkConf, SparkContext
    except ImportError:
        raise InputError(
            "The engine spark needs PySpark, which is not installed. Run: pip install 'crowdlog[spark]'"
        ) from None
    _check_java()
    _check_master(master)
    scratch = Scratch("spark")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    chosen = {**_settings(master, scratch.path, tasks), **options}
    conf = SparkConf().setMaster(master).setAll(list(chosen.items()))
    try:
        with _java_is_silent():
            context = SparkContext.getOrCreate(conf)
    except Exception as error:  # Java's errors come in many classes
        scratch.cleanup()
        raise _not_started(master, error) from None
    try:
        _wait_for_workers(context, master)
    except InputError:
        context.stop()
        scratch.cleanup()
        raise
    return context, scratch


def _settings(master: str, scratch: Path, tasks: int | None) -> dict[str, str]:
    """Ours; those that are only wishes give way to spark-defaults.conf."""
    own = {**SETTINGS, "spark.local.dir": str(scratch), **_log_settings(scratch)}
    classes, said = java_options(), _said_by_owner()
    if master.startswith("local"):
        own |= ALONE
        wishes = DEFAULTS_ALONE | {"spark.driver.defaultJavaOptions": SLOW_TO_COMPILE + classes}
    else:
        collector = "" if "spark.executor.extraJavaOptions" in said else SIMPLE_COLLECTOR
        wishes = {
            "spark.driver.defaultJavaOptions": FIRST_COMPILER + classes,
            "spark.executor.defaultJavaOptions": collector + SLOW_TO_COMPILE + classes,
        }
    if tasks is not None and master.startswith("spark://"):
        wishes["spark.cores.max"] = str(tasks)
    return own | {name: value for name, value in wishes.items() if name not in said}


def _not_started(master: str, error: BaseException) -> InputError:
    """What Java says is not shown but for its first line, which names a setting."""
    if "JAVA_GATEWAY_EXITED" in str(error):
        return InputError(
            "Java ended before Spark was there. The engine spark needs Java 17 or newer and 1 GB of memory "
            "for it; 'java -version' tells which one is found here, JAVA_HOME names another."
        )
    if master.startswith("spark://"):
        return InputError(
            f"The master at {master} did not take this work. Is a Spark of version 4.0 running there, and "
            "does it ask for the same spark.authenticate.secret as spark-defaults.conf here?"
        )
    return InputError(f"Spark could not be started at {master}: {_first_line(error)}")


def _said_by_owner() -> set[str]:
    """The settings of spark-defaults.conf; what a program sets would go before them."""
    import pyspark

    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    settings = Path(os.environ.get("SPARK_CONF_DIR") or Path(home) / "conf") / "spark-defaults.conf"
    if not settings.is_file():
        return set()
    lines = settings.read_text(encoding="utf-8").splitlines()
    return {re.split(r"[\s=]", line.strip(), maxsplit=1)[0] for line in lines}


def _wait_for_workers(context: Any, master: str) -> None:
    """A cluster without free workers would let a job wait for ever."""
    if not master.startswith("spark://"):
        return
    for _ in range(WORKER_SECONDS):
        # The driver is in the list itself.
        if context._jsc.sc().getExecutorMemoryStatus().size() > 1:
            return
        time.sleep(1)
    raise InputError(
        f"No worker of {master} took this work within {WORKER_SECONDS} seconds. Start workers with cores "
        "and memory to spare, or wait until other work is done."
    )


@contextmanager
def _java_is_silent() -> Iterator[None]:
    """Java, started in here, writes to nowhere as long as it lives, and so do the tasks that it starts."""
    if os.environ.get("CROWDLOG_DEBUG"):
        yield
        return
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {stream: os.dup(stream) for stream in (1, 2)}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in kept:
            os.dup2(nowhere, stream)
        yield
    finally:
        for stream, before in kept.items():
            os.dup2(before, stream)
            os.close(before)
        os.close(nowhere)


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise InputError(
            "The engine spark needs Java 17, and there is no java here. "
            "Install it (Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME."
        )


def _check_master(master: str) -> None:
    """A master that is misspelt is told as such, not as a Java that ends; a cluster that does not answer is
    told at once, not after minutes of Spark's own trying.
    """
    if not _KNOWN.fullmatch(master):
        raise InputError(
            f"Spark knows no master {master!r}. Write --engine spark:local[2] for two cores of this machine, "
            "or --engine spark:spark://HOST:7077 for a cluster."
        )
    if master == "yarn" and not (os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")):
        raise InputError(
            "Spark learns from Hadoop's settings where YARN is, and no folder of them is named here. "
            "Set HADOOP_CONF_DIR to it."
        )
    if not master.startswith("spark://"):
        return
    # Of several, those that do not lead stand by: Spark asks all, and one is enough.
    if not any(map(_answers, master.removeprefix("spark://").split(","))):
        raise InputError(
            f"No Spark master answers at {master}. Start it, or give another: --engine spark:local[2]"
        )


def _answers(place: str) -> bool:
    try:
        address = urlsplit(f"spark://{place}")
        host, port = address.hostname, address.port or 7077
        socket.create_connection((host or "", port), CONNECT_SECONDS).close()
    except (OSError, ValueError):
        return False
    return True


def _log_settings(scratch: Path) -> dict[str, str]:
    """Java's own messages stay out of the terminal and of files: they may quote rows. Settings without an
    appender would be taken for none, and Spark's own used.
    """
    settings = scratch / "log4j2.properties"
    settings.write_text(
        "appender.none.type = Null\nappender.none.name = none\n"
        "rootLogger.level = off\nrootLogger.appenderRef.none.ref = none\n",
        encoding="utf-8",
    )
    return {"spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file://{settings}"}


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
