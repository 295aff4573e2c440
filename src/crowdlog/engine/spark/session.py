"""A Spark session: on this machine's cores, or on a cluster."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crowdlog.errors import InputError

CONNECT_SECONDS = 5
# Nothing of a session on one machine can be reached from another.
ALONE = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
}
SETTINGS = {
    "spark.app.name": "crowdlog",
    "spark.ui.enabled": "false",
    # An event log would keep the text of every statement, and with it the secret of bounds by lot.
    "spark.eventLog.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # Shuffles, spills and broadcasts on disk are encrypted with a key that only the running program knows.
    "spark.io.encryption.enabled": "true",
    "spark.io.encryption.keySizeBits": "256",
    # Text is never compared by a collation of the machine, and results never cut.
    "spark.sql.ansi.enabled": "true",
    "spark.driver.maxResultSize": "0",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 17),
}


def start(master: str, options: dict[str, str]) -> tuple[Any, Any]:
    """The session, and the folder of its temporary files; or one sentence that says what is missing."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError(
            "The engine spark needs PySpark, which is not installed. Run: pip install 'crowdlog[spark]'"
        ) from None
    _check_java()
    _check_master(master)
    scratch = tempfile.TemporaryDirectory(prefix="crowdlog-spark-")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master)
    own = {"spark.local.dir": scratch.name, **_log_settings(Path(scratch.name))}
    if master.startswith("local"):
        own |= ALONE
    chosen = {**SETTINGS, **own, **options}
    for name, value in chosen.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # Java's errors come in many classes
        scratch.cleanup()
        raise InputError(f"Spark could not be started at {master}: {_first_line(error)}") from None
    return session, scratch


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise InputError(
            "The engine spark needs Java 17, and there is no java here. "
            "Install it (Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME."
        )


def _check_master(master: str) -> None:
    """A cluster that does not answer is told at once, not after minutes of Spark's own trying."""
    if not master.startswith("spark://"):
        return
    address = urlsplit(master)
    try:
        host, port = address.hostname, address.port or 7077
        socket.create_connection((host or "", port), CONNECT_SECONDS).close()
    except (OSError, ValueError):
        raise InputError(
            f"No Spark master answers at {master}. Start it, or give another: --engine spark:local[2]"
        ) from None


def _log_settings(scratch: Path) -> dict[str, str]:
    """Java's own messages stay out of the terminal: they may quote rows."""
    settings = scratch / "log4j2.properties"
    settings.write_text("rootLogger.level = off\n", encoding="utf-8")
    return {"spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file://{settings}"}


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
