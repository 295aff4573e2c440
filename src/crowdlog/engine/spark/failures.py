"""Errors of Spark as one sentence. What Java and tasks say is not shown: it may quote rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from crowdlog.errors import InputError

_OURS = re.compile(r"crowdlog\.errors\.InputError: (.+)")
_MEMORY = re.compile(
    r"OutOfMemory(Error|Exception)|MemoryError|exit code 52|exit code 137|Container killed .* memory"
)
# Limits of memory and the system's own killer end a task's Python like this; Java learns nothing more.
_ENDED = re.compile(r"Python worker exited unexpectedly")
_LOST = re.compile(r"ExecutorLostFailure|SparkContext was shut down|Master removed our application")

RESUME = "If a release was charged, 'crowdlog resume STORE' finishes it."


@contextmanager
def told_plainly(work: str, then: str) -> Iterator[None]:
    """`work`: what failed, as the sentence's subject; `then`: what is told after it."""
    try:
        from py4j.protocol import Py4JError  # type: ignore[import-untyped]
        from pyspark.errors import PySparkException
    except ImportError:  # then nothing of Spark can fail
        yield
        return
    try:
        yield
    except ConnectionError:  # Java is gone
        raise sentence(work, "OutOfMemoryError", then) from None
    except (PySparkException, Py4JError) as error:
        raise sentence(work, str(error), then) from None


def sentence(work: str, said: str, then: str = "") -> InputError | RuntimeError:
    """An InputError of a task as it is; causes that an owner can correct; else that something went wrong."""
    ours = _OURS.findall(said)
    if ours:
        return InputError(ours[-1].strip())
    if _MEMORY.search(said):
        return InputError(
            f"{work} ran out of memory on Spark. Give tasks more: set spark.executor.memory (on one machine "
            f"spark.driver.memory) in spark-defaults.conf, or use fewer cores for each executor. {then}"
        )
    if _ENDED.search(said):
        return InputError(
            f"{work} lost its Python workers on Spark, which most often means that memory ran out: they need "
            "it beside Java's. Use fewer cores for each executor or machines with more memory, and set "
            f"spark.executor.pyspark.memory higher if it is set. {then}"
        )
    if _LOST.search(said):
        return InputError(
            f"{work} lost its machines on Spark more often than it may. Look at the cluster and try again. "
            f"{then}"
        )
    return RuntimeError(f"{work} failed on Spark")
