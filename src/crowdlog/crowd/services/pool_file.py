"""The envelopes that wait in a mix, in a file of places of one size.

Databases keep the order of what was written: in row ids, in the write-ahead log, in dead rows. So envelopes
never go there. An envelope lies at a random place of its collection's file, and lies there until the place is
overwritten with zeros: neither when it came nor what it came with can be read from the disk, and what has
left is gone. The file begins with a key for hashes of what was seen, and dies with the collection.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crowdlog.crowd.services.keyfile import destroy_secret
from crowdlog.crowd.services.storage import full_disks
from crowdlog.crowd.shuffle import shuffled, uniform_below
from crowdlog.files.disk import force_to_disk
from crowdlog.privacy.randomness import Randomness

_KEY = 32
_NAME = 16  # a hash of what is inside: names the envelope, and tells a whole place from a torn one
_LENGTH = 4
_FIRST_PLACES = 128
_READ = 1024  # places read or written at a time
_NEW, _OLD = ".new", ".old"  # while the file grows


class PoolFile:
    """`largest`: bytes of the largest envelope. What `add` and `forget` did is on disk when they return."""

    def __init__(self, path: Path, largest: int, randomness: Randomness) -> None:
        self._path, self._randomness = path, randomness
        self._size = _NAME + _LENGTH + largest
        self._sweep()
        if not path.exists():
            with full_disks():
                os.close(self._new_file(randomness.bytes(_KEY), _FIRST_PLACES))
                self._replace()
        self._open()

    def _open(self) -> None:
        """Read what waits; forget what a crash cut short."""
        self._file = os.open(self._path, os.O_RDWR)
        self.key = os.pread(self._file, _KEY, 0)
        self._places: dict[bytes, int] = {}
        self._free: list[int] = []
        torn = []
        for place, data in self._read():
            if not any(data[:_NAME]):
                self._free.append(place)
            elif _name(self._inside(data)) == data[:_NAME]:
                self._places[data[:_NAME]] = place
            else:
                torn.append(place)
        self._clear(torn)

    def _read(self) -> Iterator[tuple[int, bytes]]:
        places = (os.fstat(self._file).st_size - _KEY) // self._size
        for first in range(0, places, _READ):
            data = os.pread(self._file, min(_READ, places - first) * self._size, self._at(first))
            for number in range(len(data) // self._size):
                yield first + number, data[number * self._size :][: self._size]

    def __len__(self) -> int:
        return len(self._places)

    def names(self) -> list[bytes]:
        return list(self._places)

    def add(self, envelopes: Iterable[bytes]) -> list[bytes]:
        """Keep envelopes; return the names of those that were not here already."""
        added: list[bytes] = []
        try:
            with full_disks():
                for inner in envelopes:
                    self._add(inner, added)
                os.fsync(self._file)
        except BaseException:
            self.forget(added)
            raise
        return added

    def _add(self, inner: bytes, added: list[bytes]) -> None:
        name = _name(inner)
        if name in self._places:
            return
        if not self._free:
            self._grow()
        place = self._free_place()
        self._places[name] = place
        added.append(name)
        os.pwrite(self._file, self._packed(inner), self._at(place))

    def open(self, name: bytes) -> bytes:
        """What an envelope of this name is."""
        return self._inside(os.pread(self._file, self._size, self._at(self._places[name])))

    def forget(self, names: Sequence[bytes]) -> None:
        """Overwrite envelopes; names that are not here are gone already."""
        self._clear([self._places.pop(name) for name in names if name in self._places])

    def _clear(self, places: Sequence[int]) -> None:
        if not places:
            return
        for place in places:
            os.pwrite(self._file, bytes(self._size), self._at(place))
        os.fsync(self._file)
        self._free += places

    def _free_place(self) -> int:
        chosen = uniform_below(len(self._free), self._randomness)
        self._free[chosen], self._free[-1] = self._free[-1], self._free[chosen]
        return self._free.pop()

    def close(self) -> None:
        os.close(self._file)

    def destroy(self) -> None:
        """Overwrite everything, the key too, and remove the file."""
        self.close()
        destroy_secret(self._path)

    def _grow(self) -> None:
        """Move to a file of twice the places, each envelope to a new random one: else the order in which
        places were added would be that of arrival.
        """
        places = 2 * len(self._places)
        new = self._new_file(self.key, places)
        try:
            order = shuffled(range(places), self._randomness)
            for place, (_old, data) in zip(order, self._read(), strict=False):
                os.pwrite(new, data, self._at(place))
            os.fsync(new)
        finally:
            os.close(new)
        try:
            self._replace()
        finally:
            self.close()
            self._sweep()
            self._open()

    def _new_file(self, key: bytes, places: int) -> int:
        """A file of empty places beside the one in use, with its blocks."""
        new = os.open(self._path.with_suffix(_NEW), os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.pwrite(new, key, 0)
            for first in range(0, places, _READ):
                os.pwrite(new, bytes(min(_READ, places - first) * self._size), self._at(first))
            os.fsync(new)
        except BaseException:
            os.close(new)
            raise
        return new

    def _replace(self) -> None:
        """Put the new file in the place of the one in use, which is overwritten."""
        old = self._path.with_suffix(_OLD)
        if self._path.exists():
            os.link(self._path, old)
        self._path.with_suffix(_NEW).replace(self._path)
        force_to_disk(self._path.parent)
        destroy_secret(old)

    def _sweep(self) -> None:
        """Remove what a crash left while the file grew."""
        new, old = self._path.with_suffix(_NEW), self._path.with_suffix(_OLD)
        destroy_secret(new)
        if old.exists() and old.samefile(self._path):
            old.unlink()
        destroy_secret(old)

    def _packed(self, inner: bytes) -> bytes:
        return (_name(inner) + len(inner).to_bytes(_LENGTH, "big") + inner).ljust(self._size, b"\0")

    @staticmethod
    def _inside(data: bytes) -> bytes:
        start = _NAME + _LENGTH
        return data[start:][: int.from_bytes(data[_NAME:start], "big")]

    def _at(self, place: int) -> int:
        return _KEY + place * self._size


def _name(inner: bytes) -> bytes:
    return hashlib.blake2b(inner, digest_size=_NAME).digest()
