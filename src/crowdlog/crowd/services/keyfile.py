"""Secrets of a service as files only it can read. A destroyed secret is overwritten before it is removed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from crowdlog.crowd.crypto.envelope import MixKey
from crowdlog.crowd.services.storage import full_disks
from crowdlog.files.disk import force_to_disk
from crowdlog.files.whole import new_file
from crowdlog.privacy.randomness import Randomness


def write_secret(path: Path, secret: bytes) -> None:
    """Write a secret so that it is on disk, whole, when this returns."""
    with full_disks(), new_file(path, secret=True) as file:
        file.write(secret)


@contextmanager
def secret_for(path: Path, secret: bytes) -> Iterator[None]:
    """Write a secret for the row that the block stores; without the row the secret is destroyed again."""
    write_secret(path, secret)
    try:
        yield
    except BaseException:
        destroy_secret(path)
        raise


def own_key(path: Path, randomness: Randomness) -> MixKey:
    """Read a node's envelope key, or make it at the first start."""
    if not path.exists():
        write_secret(path, MixKey.generate(randomness).to_bytes())
    return MixKey.from_bytes(path.read_bytes())


def destroy_secret(path: Path) -> None:
    """Overwrite the secret with zeros, make sure that is on disk, remove it. Destroying twice is fine.

    A disk that remaps blocks (SSD) or a file system that copies on write may still hold the old block: see
    docs/crowd.md.
    """
    if not path.exists():
        return
    with suppress(FileNotFoundError):  # another worker, who destroys it at this moment, was faster
        with path.open("r+b") as file:
            file.write(bytes(path.stat().st_size))
        force_to_disk(path)
        path.unlink()
    force_to_disk(path.parent)
