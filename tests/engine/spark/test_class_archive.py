"""Java's archive of classes: made once, used by every later start, and missed by nobody who has none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from crowdlog.engine.spark.class_archive import archive, java_options


def test_without_an_archive_java_is_told_of_none(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert java_options() == ""


def test_a_path_that_spark_would_split_is_not_used(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "two words"))
    archive().parent.mkdir(parents=True)
    archive().touch()
    assert java_options() == ""


LOADED = """
import sys
from crowdlog.engine.spark import session
context, files = session.start("local[1]", {"spark.driver.extraJavaOptions": sys.argv[1]})
print(context.parallelize(range(10), 2).map(lambda n: (n % 3, n)).groupByKey().count())
context.stop()
files.cleanup()
"""


@pytest.mark.slow
def test_java_takes_the_classes_of_spark_from_it(tmp_path):
    """And does its work as well with one that is damaged."""
    told = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    make = [sys.executable, "-m", "crowdlog.engine.spark.class_archive"]
    (place,) = subprocess.run(make, env=told, capture_output=True, text=True, check=True).stdout.split()

    def shared() -> int:
        loaded = tmp_path / "loaded"
        words = [sys.executable, "-c", LOADED, f"-Xlog:class+load:file={loaded}"]
        done = subprocess.run(words, env=told, capture_output=True, text=True, check=True)
        assert done.stdout == "3\n"
        return sum(
            "org.apache.spark" in line and "shared objects" in line
            for line in loaded.read_text().splitlines()
        )

    assert shared() > 1000
    with Path(place).open("r+b") as damaged:
        damaged.write(b"\0" * 64)
    assert shared() == 0
