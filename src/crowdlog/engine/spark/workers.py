"""How a daemon of Spark makes workers: they are copies of it, with all that it has loaded."""

import gc
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

_FOLDERS = {".zip": "python/lib", ".jar": "jars"}


def without_archives() -> None:
    """PySpark from its package, not from the archives inside the package that Spark names first: of an
    archive every process compiles the modules anew, and every task reads the list of its files again. Java's
    own, which Spark names too, holds nothing for Python.

    An archive that lies elsewhere stays: it may be of another Spark than the package here.
    """
    for each in [Path(path) for path in sys.path if path.endswith((".zip", ".jar"))]:
        package = each.parent.parent if each.suffix == ".jar" else each.parent.parent.parent
        inside = each.parent == package / _FOLDERS[each.suffix] and package.name == "pyspark"
        needed = [package / "__init__.py", package.parent / "py4j" / "__init__.py"]
        if inside and all(file.is_file() for file in needed):
            sys.path.remove(str(each))
            for found in [path for path in sys.path_importer_cache if Path(path).is_relative_to(each)]:
                del sys.path_importer_cache[found]
            if each.suffix == ".jar":  # pickle asks for a package of this name, and Java's own has a folder
                sys.modules.pop("org", None)
            if str(package.parent) not in sys.path:
                sys.path.append(str(package.parent))


class _WithoutPandas:
    """While it stands among Python's finders, there is no pandas."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def arrow_without_pandas() -> None:
    """Arrow asks of its first array whether it is one of pandas', and loads that for it: a quarter of a
    second in every worker. It asks no second time.
    """
    sys.meta_path.insert(0, _WithoutPandas)
    try:
        pa.array(np.zeros(1))
    finally:
        sys.meta_path.remove(_WithoutPandas)


def make_workers(try_loops: Callable[[], object]) -> None:
    """Until Spark ends it. `try_loops` runs some compiled loops: what numba loads for the first, a third of a
    second, no worker loads again.
    """
    without_archives()
    arrow_without_pandas()
    try_loops()
    from pyspark.daemon import manager

    # Workers collect garbage after every task; looking through all that is loaded took half a second each.
    gc.collect()
    gc.freeze()
    manager()  # type: ignore[no-untyped-call]
