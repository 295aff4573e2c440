"""How a daemon of Spark makes workers: they are copies of it, with all that it has loaded."""

import gc
import sys
from collections.abc import Callable
from pathlib import Path


def without_archives() -> None:
    """PySpark from its package, not from the archives inside the package that Spark names first: of an
    archive every process compiles the modules anew, and every task reads the list of its files again.

    An archive that lies elsewhere stays: it may be of another Spark than the package here.
    """
    for each in [Path(path) for path in sys.path if path.endswith(".zip")]:
        package = each.parent.parent.parent
        inside = each.parent == package / "python" / "lib" and package.name == "pyspark"
        needed = [package / "__init__.py", package.parent / "py4j" / "__init__.py"]
        if inside and all(file.is_file() for file in needed):
            sys.path.remove(str(each))
            sys.path_importer_cache.pop(str(each), None)
            if str(package.parent) not in sys.path:
                sys.path.append(str(package.parent))


def make_workers(try_loops: Callable[[], object]) -> None:
    """Until Spark ends it. `try_loops` runs some compiled loops: what numba loads for the first, a third of a
    second, no worker loads again.
    """
    without_archives()
    try_loops()
    from pyspark.daemon import manager

    # Workers collect garbage after every task; looking through all that is loaded took half a second each.
    gc.collect()
    gc.freeze()
    manager()  # type: ignore[no-untyped-call]
