"""A Spark that cannot be had is told in one sentence."""

from __future__ import annotations

import builtins
import re
import socket
import subprocess
import sys

import pytest

from crowdlog.engine.choice import find_engine
from crowdlog.engine.spark import session
from crowdlog.engine.spark.session import start
from crowdlog.errors import InputError


def test_without_pyspark(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest, **more):
        if name.startswith("pyspark"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InputError, match=re.escape("pip install 'crowdlog[spark]'")):
        start("local[1]", {})


def test_without_java(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(InputError, match="needs Java 17, and there is no java here"):
        start("local[1]", {})


def test_a_java_that_ends_at_once(monkeypatch, tmp_path):
    """As one does that is too old for Spark."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\necho UnsupportedClassVersionError >&2\nexit 1\n")
    (tmp_path / "bin" / "java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    # In a process of its own: this one may have a Java that runs already.
    script = "from crowdlog.engine.spark.session import start; start('local[1]', {})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "InputError: Java ended before Spark was there. The engine spark needs Java 17" in done.stderr


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("spark.driver.memory 8g", True),
        ("  spark.driver.memory=8g", True),
        ("# spark.driver.memory 8g", False),
        ("spark.driver.memoryOverhead 1g", False),
    ],
)
def test_memory_is_what_the_owner_says(monkeypatch, tmp_path, line, found):
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert session._said_by_owner() == set()
    (tmp_path / "spark-defaults.conf").write_text(f"spark.ui.port 4050\n{line}\n")
    assert ("spark.driver.memory" in session._said_by_owner()) is found


def test_a_cluster_starts_no_more_java_than_there_are_tasks(monkeypatch, tmp_path):
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert session._settings("spark://somewhere:7077", tmp_path, 3)["spark.cores.max"] == "3"
    assert "spark.cores.max" not in session._settings("local[2]", tmp_path, 3)
    (tmp_path / "spark-defaults.conf").write_text(
        "spark.cores.max 8\nspark.driver.defaultJavaOptions -Da=b\n"
    )
    wished = session._settings("spark://somewhere:7077", tmp_path, 3)
    assert wished.keys() & {"spark.cores.max", "spark.driver.defaultJavaOptions"} == set()
    executors = wished["spark.executor.defaultJavaOptions"]
    assert executors.startswith(session.SIMPLE_COLLECTOR + session.SLOW_TO_COMPILE)


def test_an_owner_who_chooses_a_collector_has_it(monkeypatch, tmp_path):
    """Java does not start with two."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (tmp_path / "spark-defaults.conf").write_text("spark.executor.extraJavaOptions -XX:+UseParallelGC\n")
    wished = session._settings("spark://somewhere:7077", tmp_path, 3)
    assert wished["spark.executor.defaultJavaOptions"].startswith(session.SLOW_TO_COMPILE)


def test_a_master_that_does_not_answer():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: a connection is refused
        address = f"spark://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InputError, match=f"No Spark master answers at {address}"):
            start(address, {})


def test_of_several_masters_one_that_answers_is_enough():
    with socket.socket() as silent, socket.create_server(("127.0.0.1", 0)) as answering:
        silent.bind(("127.0.0.1", 0))
        places = [f"127.0.0.1:{each.getsockname()[1]}" for each in (silent, answering)]
        for order in (places, places[::-1]):
            session._check_master(f"spark://{','.join(order)}")
        both_silent = f"spark://{places[0]},{places[0]}"
        with pytest.raises(InputError, match=f"No Spark master answers at {both_silent}"):
            session._check_master(both_silent)


@pytest.mark.parametrize(
    "master", ["nonsense", "local[0]", "local[two]", "spark:/somewhere:7077", "mesos://a"]
)
def test_a_master_that_is_misspelt(master):
    with pytest.raises(InputError, match=re.escape(f"Spark knows no master '{master}'")):
        start(master, {})


def test_a_yarn_that_nobody_told_of(monkeypatch):
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match="Set HADOOP_CONF_DIR"):
        start("yarn", {})


def test_the_engine_is_found_by_its_name():
    assert find_engine("spark")
    assert find_engine("spark:local[2]")
    assert find_engine("spark:spark://somewhere:7077")
