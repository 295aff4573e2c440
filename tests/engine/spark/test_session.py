"""A Spark that cannot be had is told in one sentence."""

from __future__ import annotations

import builtins
import re
import socket

import pytest

from crowdlog.engine.choice import find_engine
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


def test_a_master_that_does_not_answer():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: a connection is refused
        address = f"spark://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InputError, match=f"No Spark master answers at {address}"):
            start(address, {})


def test_the_engine_is_found_by_its_name():
    assert find_engine("spark")
    assert find_engine("spark:local[2]")
    assert find_engine("spark:spark://somewhere:7077")
