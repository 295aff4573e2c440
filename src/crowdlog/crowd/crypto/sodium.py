"""libsodium as rbcl brings it: with every import rbcl writes the library into the temp folder and leaves it
there, 2.8 MB for each process. Once it is loaded the file is not needed any more, and is removed here.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import rbcl

with suppress(AttributeError, KeyError, OSError):  # another release of rbcl; Windows keeps what is loaded
    Path(sys.modules["rbcl._sodium"].lib_path).unlink()

__all__ = ["rbcl"]
