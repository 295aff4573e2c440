"""Files that appear only when they are complete, compressed by suffix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import IOBase
from pathlib import Path
from typing import BinaryIO, cast

from crowdlog.errors import InputError
from crowdlog.files.whole import new_file


def _compressed(raw: BinaryIO, suffix: str) -> BinaryIO:
    if suffix == ".gz":
        from isal import igzip

        # The header holds no name and no time: the same seed gives the same bytes.
        return cast(BinaryIO, igzip.IGzipFile(filename="", fileobj=raw, mode="wb", compresslevel=2, mtime=0))
    if suffix == ".zst":
        import pyarrow as pa

        return cast(BinaryIO, pa.CompressedOutputStream(cast(IOBase, raw), "zstd"))
    return raw


@contextmanager
def new_log_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary file that becomes `path` when the block ends well and vanishes when it does not."""
    try:
        with new_file(path) as raw, _compressed(raw, path.suffix) as file:
            yield file
    except OSError as error:
        raise InputError(
            f"Cannot write {path}: {error.strerror}. Choose another place or free some space."
        ) from error
