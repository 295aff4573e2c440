"""How a command ends when it is told to: SIGTERM and SIGHUP clean up as Ctrl-C does."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType


class Terminated(KeyboardInterrupt):
    """A signal asked us to stop. The exit code is the shells' own: 128 + its number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Terminated(number)


def stop_like_ctrl_c() -> None:
    """Let the signals that end a program unwind it. One that is ignored (nohup) stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)


def open_standard_streams() -> None:
    """A closed stdout must not be given to the next file that is opened: what we print would go into it.

    Python has no stream for it then; what is printed goes nowhere, and is no error.
    """
    for handle in (0, 1, 2):
        try:
            os.fstat(handle)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end


def silence_stdout() -> None:
    """What is still to be printed goes nowhere: Python would stumble over it when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
