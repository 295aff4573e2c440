"""Which database counts, as the command line spells it: `duckdb`, `duckdb:threads=2,memory=4GB`.

A new one is a function below that reads its options, and a line in ENGINES.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from crowdlog.engine.connection import Engine
from crowdlog.errors import InputError
from crowdlog.log.size import parse_size
from crowdlog.log.store import LogStore

ALL_CORES = "local[*]"  # of this machine, as Spark spells it
OpenEngine = Callable[[LogStore], Engine]


def find_engine(spelling: str) -> OpenEngine:
    """What opens this engine over a log. Nothing is started yet."""
    name, _, options = spelling.partition(":")
    if name not in ENGINES:
        raise InputError(f"There is no engine '{name}'. There are: {', '.join(ENGINES)}.")
    return ENGINES[name](options)


def spark_master(spelling: str) -> str | None:
    """The master of `spark` or `spark:MASTER`; None for another engine, which must be there."""
    find_engine(spelling)
    name, _, master = spelling.partition(":")
    return (master or ALL_CORES) if name == "spark" else None


def _duckdb(options: str) -> OpenEngine:
    """`threads`: as many as cores unless given; `memory`: before counts spill to temporary files."""
    chosen: dict[str, Any] = {}
    for option in filter(None, options.split(",")):
        name, _, value = option.partition("=")
        if name == "memory":
            chosen[name] = parse_size(value)
        elif name == "threads" and value.isdecimal() and int(value) > 0:
            chosen[name] = int(value)
        else:
            raise InputError(
                f"The engine duckdb has no option '{option}'. Write for example duckdb:threads=2,memory=4GB."
            )
    return partial(Engine, **chosen)


def _spark(master: str) -> OpenEngine:
    """`master`: as Spark spells it, `local[2]` or `spark://host:7077`; all cores of this machine if none."""

    return partial(_open_spark, master=master or ALL_CORES)


def _open_spark(log: LogStore, master: str) -> Engine:
    from crowdlog.engine.spark.connection import SparkEngine

    return SparkEngine(log, master=master)


def counts_elsewhere(engine: OpenEngine) -> bool:
    """Whether its counts stay on other machines: known before it is started, which takes seconds."""
    return isinstance(engine, partial) and engine.func is _open_spark


ENGINES: dict[str, Callable[[str], OpenEngine]] = {"duckdb": _duckdb, "spark": _spark}
