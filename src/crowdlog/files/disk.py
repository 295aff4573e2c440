"""Making sure that what was written survives a power cut."""

from __future__ import annotations

import errno
import os
from pathlib import Path

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # no room, for us or at all


def force_to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if os.name == "nt" and path.is_dir():  # Windows opens no folders, and writes their names in order
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def force_folder_to_disk(folder: Path) -> None:
    """Everything in the folder, and the name of the folder itself."""
    for path in folder.rglob("*"):
        force_to_disk(path)
    force_to_disk(folder)
    force_to_disk(folder.parent)
