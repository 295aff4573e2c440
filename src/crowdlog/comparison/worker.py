"""A worker: trials come in as lines of JSON, answers go out the same way. When nobody listens any more, it stops at once.

A process of its own for trials (instead of a fork) works the same from a shell, a script and a notebook.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from crowdlog.comparison.grid import Cell, Grid, grid_of, trial_folder
from crowdlog.errors import CrowdlogError


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints must not be taken for an answer
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    grid = grid_of(json.loads(sys.stdin.readline()))
    threading.Thread(target=_listen, args=(lines, trial_folder(grid)), daemon=True).start()
    while True:
        cell = Cell(**json.loads(lines.get()))
        print(json.dumps(_answer(grid, cell)), file=answers, flush=True)


def _listen(lines: queue.SimpleQueue[str], folder: Path) -> None:
    """Hand on what comes in. The end of the input means that who asked is gone, or done: a trial half done is destroyed."""
    for line in sys.stdin:
        lines.put(line)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _answer(grid: Grid, cell: Cell) -> dict[str, Any]:
    """An error as its sentence, or, when it is ours, as its type alone: a message could quote a query."""
    from crowdlog.comparison.trial import run_cell

    try:
        run_cell(grid, cell)
    except CrowdlogError as error:
        return {"error": str(error), "ours": False}
    except MemoryError:
        return {"error": "there was not enough memory. Run the same command again with --jobs 1.", "ours": False}
    except Exception as error:  # noqa: BLE001, RUF100 - every error must reach the other side
        if os.environ.get("CROWDLOG_DEBUG") == "1":
            traceback.print_exc()
        if isinstance(error, OSError) and error.errno:
            return {"error": f"{os.strerror(error.errno)}. Look at the disk of {grid.cache}, and run the same command again.", "ours": False}
        return {"error": type(error).__name__, "ours": True}
    return {"error": None, "ours": False}


if __name__ == "__main__":
    main()
