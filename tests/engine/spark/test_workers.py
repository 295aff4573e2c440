"""Workers take PySpark from its package, and an archive only where there is no package beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark

INSIDE = Path(pyspark.__file__).parent / "python" / "lib"
JAVAS = sorted((INSIDE.parent.parent / "jars").glob("spark-core_*.jar"))  # Spark names it beside them
TELL = """
import pickle
from crowdlog.engine.spark.workers import without_archives
without_archives()
import py4j, pyspark, sys
print(pyspark.__file__, py4j.__file__, *sys.path_importer_cache)
"""


def told(folder: Path) -> str:
    archives = os.pathsep.join(map(str, [*sorted(folder.glob("*.zip")), *JAVAS]))
    command = [sys.executable, "-c", TELL]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": archives}, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_archives_inside_the_package_are_passed_over():
    assert len(list(INSIDE.glob("*.zip"))) == 2
    assert ".zip/" not in told(INSIDE)
    assert "pyspark.zip" not in told(INSIDE)
    assert len(JAVAS) == 1
    assert ".jar" not in told(INSIDE)


def test_archives_elsewhere_stay(tmp_path):
    """They may be of another Spark than the package that is installed."""
    other = tmp_path / "pyspark" / "python" / "lib"
    other.mkdir(parents=True)
    for each in INSIDE.glob("*.zip"):
        (other / each.name).symlink_to(each)
    assert f"{other}/pyspark.zip/pyspark" in told(other)


def test_arrow_asks_no_pandas():
    tell = """
import sys
import numpy as np, pyarrow as pa
from crowdlog.engine.spark.workers import arrow_without_pandas
arrow_without_pandas()
pa.table({"key": np.arange(3)})
assert "pandas" not in sys.modules
import pandas
print(pandas.DataFrame({"key": [1]}).shape)
"""
    done = subprocess.run([sys.executable, "-c", tell], check=True, capture_output=True, text=True)
    assert done.stdout == "(1, 1)\n"
