"""A worker: trials come in as lines of JSON, answers go out the same way. When nobody listens, it stops.

A process of its own for trials (instead of a fork) works the same from a shell, a script and a notebook.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import shutil
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from crowdlog.errors import CrowdlogError
from crowdlog.experiments.seeded_release import SCRATCH


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints must not be taken for an answer
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    told = json.loads(sys.stdin.readline())
    threading.Thread(target=_listen, args=(lines, Path(told["experiment"]["cache"])), daemon=True).start()
    while True:
        told_back = answer(told["module"], told["experiment"], json.loads(lines.get()))
        print(json.dumps(told_back), file=answers, flush=True)


def _listen(lines: queue.SimpleQueue[str], cache: Path) -> None:
    """Hand on what comes in.

    The end of the input means that who asked is gone: a trial half done is destroyed.
    """
    for line in sys.stdin:
        lines.put(line)
    for folder in cache.glob(f"{SCRATCH}*"):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def answer(module: str, experiment: dict[str, Any], trial: dict[str, Any]) -> dict[str, Any]:
    """Do a trial.

    An error is told as its sentence, or, when it is ours, by its type: a message could quote a query.
    """
    try:
        importlib.import_module(module).run_trial(experiment, trial)
    except CrowdlogError as error:
        return {"error": str(error), "ours": False}
    except MemoryError:
        return {
            "error": "there was not enough memory. Run the same command again with --jobs 1.",
            "ours": False,
        }
    except Exception as error:  # noqa: BLE001, RUF100 - every error must reach the other side
        if os.environ.get("CROWDLOG_DEBUG") == "1":
            traceback.print_exc()
        if isinstance(error, OSError) and error.errno:
            advice = f"Look at the disk of {experiment['cache']}, and run the same command again."
            return {"error": f"{os.strerror(error.errno)}. {advice}", "ours": False}
        return {"error": type(error).__name__, "ours": True}
    return {"error": None, "ours": False}


if __name__ == "__main__":
    main()
