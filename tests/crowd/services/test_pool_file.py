import os

import pytest

from crowdlog.crowd.services import pool_file
from crowdlog.crowd.services.pool_file import PoolFile
from crowdlog.crowd.services.storage import StorageFull
from crowdlog.privacy.randomness import SystemRandomness

RANDOM = SystemRandomness()
LARGEST = 40
SOME = [b"envelope %04d" % number for number in range(300)]  # more than twice the first places


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.pool"


def opened(path) -> PoolFile:
    return PoolFile(path, LARGEST, RANDOM)


def contents(pool: PoolFile) -> list[bytes]:
    return sorted(pool.open(name) for name in pool.names())


def test_what_is_kept_is_there_once_also_after_a_restart_and_growth(path):
    pool = opened(path)
    assert len(pool.add(SOME)) == 300
    assert pool.add([*SOME[:3], b""]) == pool.names()[-1:]
    pool.close()
    again = opened(path)
    assert again.key == pool.key
    assert contents(again) == sorted([*SOME, b""])
    assert list(path.parent.iterdir()) == [path]
    again.close()


def test_what_is_forgotten_is_overwritten_and_its_place_used_again(path):
    pool = opened(path)
    names = pool.add(SOME[:100])
    pool.forget(names[:60])
    raw, size = path.read_bytes(), path.stat().st_size
    assert not [one for one in SOME[:60] if one in raw]
    assert all(one in raw for one in SOME[60:100])
    pool.add(SOME[100:180])
    assert path.stat().st_size == size
    assert contents(pool) == SOME[60:180]
    pool.forget(pool.names())
    assert not any(path.read_bytes()[32:])
    pool.destroy()
    assert not path.exists()


@pytest.mark.parametrize("count", [100, 300])
def test_places_say_nothing_about_the_order_of_arrival(path, count):
    pool = opened(path)
    for one in SOME[:count]:
        pool.add([one])
    raw = path.read_bytes()
    places = [raw.index(one) for one in SOME[:count]]
    # the number of pairs in the order of arrival is normal around half of all
    pairs = [(a, b) for number, a in enumerate(places) for b in places[number + 1 :]]
    deviation = (count * (count - 1) * (2 * count + 5) / 72) ** 0.5
    assert abs(sum(a < b for a, b in pairs) - len(pairs) / 2) < 6 * deviation
    pool.close()


def test_a_place_that_a_crash_cut_short_is_forgotten(path):
    pool = opened(path)
    pool.add(SOME[:2])
    pool.close()
    raw = path.read_bytes()
    at = raw.index(SOME[1])
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"half")
    again = opened(path)
    assert contents(again) == SOME[:1]
    assert b"half" not in path.read_bytes()
    again.close()


@pytest.mark.parametrize("step", ["link", "replace"])
def test_a_crash_while_the_file_grows_loses_nothing(path, monkeypatch, step):
    pool = opened(path)
    pool.add(SOME[:128])

    class Killed(BaseException):
        pass

    def killed(*_arguments):
        raise Killed

    with monkeypatch.context() as patch:
        if step == "link":
            patch.setattr(os, "link", killed)
        else:
            patch.setattr(pool_file.Path, "replace", killed)
        patch.setattr(pool, "_sweep", killed)
        patch.setattr(pool, "forget", lambda _names: None)
        with pytest.raises(Killed):
            pool.add(SOME[128:129])
    again = opened(path)
    assert contents(again) == SOME[:128]
    assert list(path.parent.iterdir()) == [path]
    again.close()


def test_a_full_disk_keeps_nothing_of_a_request(path, monkeypatch):
    pool = opened(path)
    pool.add(SOME[:100])

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(pool, "_new_file", full)
        with pytest.raises(StorageFull):
            pool.add(SOME[100:200])
    assert contents(pool) == SOME[:100]
    pool.add(SOME[100:200])
    assert contents(pool) == SOME[:200]
    pool.close()
