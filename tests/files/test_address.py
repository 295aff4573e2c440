"""Files at addresses; file:// goes the way of all others, through Arrow."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from crowdlog.errors import InputError
from crowdlog.files.address import Address, local_path, opened, size_of


def at(path: Path) -> Address:
    return Address.of(path.as_uri())


def test_written_listed_read_and_removed(tmp_path):
    root = at(tmp_path / "a folder 100%")
    (root / "sub" / "two").write(b"two\nlines\n")
    (root / "one").write(b"first")
    (root / "one").write(b"1")
    assert {str(each.relative_to(root)): size for each, size in root.files().items()} == {
        "one": 1,
        "sub/two": 10,
    }
    with opened(root / "sub" / "two") as file:
        assert file.readline() == b"two\n"
        file.seek(1)
        assert file.read(2) == b"wo"
    assert size_of(root / "one") == 1
    assert (root / "one").files() == {root / "one": 1}
    root.remove()
    root.remove()
    assert root.files() == {}


def test_nothing_half_written_has_the_name(tmp_path):
    (at(tmp_path) / "kept").write(b"old")
    (tmp_path / "full").write_bytes(b"a file, not a folder")
    with pytest.raises(InputError, match="cannot be reached"):
        (at(tmp_path) / "full" / "new").write(b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "kept"]


def test_options_of_the_connection_stay_at_the_end():
    address = Address.of("s3a://bucket/logs?region=eu-west-1&scheme=http") / "june" / "part.parquet"
    assert str(address) == "s3://bucket/logs/june/part.parquet?region=eu-west-1&scheme=http"
    assert address.name == "part.parquet"
    assert address.relative_to(Address.of("s3://bucket/logs?region=eu-west-1")) == PurePosixPath(
        "june/part.parquet"
    )


def test_no_password_is_written_down():
    with pytest.raises(InputError, match="must not hold a password") as caught:
        Address.of("s3://key:word@bucket/logs")
    assert "word@" not in str(caught.value)


def test_unknown_kinds_are_refused():
    with pytest.raises(InputError, match="no address of a known kind"):
        Address.of("ftp://somewhere/logs")


def test_places_of_this_machine(tmp_path):
    assert local_path((tmp_path / "with space").as_uri()) == tmp_path / "with space"
    assert local_path("folder/store") == Path("folder/store")
    with pytest.raises(InputError, match="--tables ADDRESS"):
        local_path("hdfs://name/store")
