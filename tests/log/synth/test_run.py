import gzip
from pathlib import Path

import pytest
import zstandard

from crowdlog.errors import InputError
from crowdlog.files.spreadsheet import defused
from crowdlog.log.synth import POPULATIONS, synthesize
from crowdlog.log.synth.rows import HEADER


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        synthesize(tmp_path / name, users=300, seed=seed, labels=tmp_path / f"{name}.labels")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a.labels").read_bytes() == (tmp_path / "b.labels").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_a_smaller_log_is_the_beginning_of_a_larger_one(tmp_path: Path):
    small, large = (synthesize(tmp_path / f"{n}", users=n, seed=1).path.read_bytes() for n in (200, 300))
    assert large.startswith(small)
    assert small.startswith(HEADER)


def test_rows_can_be_asked_for_exactly(tmp_path: Path):
    report = synthesize(tmp_path / "log.tsv", rows=12_345, seed=1)
    assert report.rows == 12_345
    assert (tmp_path / "log.tsv").read_bytes().count(b"\n") == 12_346


def test_suffixes_compress(tmp_path: Path):
    plain = synthesize(tmp_path / "log.tsv", users=100, seed=1).path.read_bytes()
    first = synthesize(tmp_path / "log.tsv.gz", users=100, seed=1).path.read_bytes()
    assert gzip.decompress(first) == plain
    assert synthesize(tmp_path / "log.tsv.gz", users=100, seed=1).path.read_bytes() == first
    packed = synthesize(tmp_path / "log.tsv.zst", users=100, seed=1).path.read_bytes()
    assert zstandard.ZstdDecompressor().decompressobj().decompress(packed) == plain


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"users": 0}, "The number of users must be at least 1. Got 0."),
        ({"rows": -3}, "The number of rows must be at least 1. Got -3."),
        ({}, "either the number of users or the number of rows"),
        ({"users": 5, "rows": 5}, "either the number of users or the number of rows"),
        ({"users": 5, "seed": -1}, "The seed must be a whole number from 0"),
    ],
)
def test_sizes_that_cannot_be_are_told(tmp_path: Path, arguments: dict[str, int], sentence: str):
    with pytest.raises(InputError, match=sentence):
        synthesize(tmp_path / "log.tsv", **arguments)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path):
    with pytest.raises(InputError, match="Cannot write"):
        synthesize(tmp_path / "no" / "such" / "folder" / "log.tsv", users=5)


def test_nothing_is_left_when_the_work_is_stopped(tmp_path: Path):
    def stop(_rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synthesize(tmp_path / "log.tsv", users=5, labels=tmp_path / "labels.tsv", progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_populations_differ_and_an_unknown_one_is_told(tmp_path: Path):
    first, second = (
        synthesize(tmp_path / name, users=50, seed=1, population=name).path.read_bytes()
        for name in POPULATIONS
    )
    assert first != second
    with pytest.raises(InputError, match=r"There is no population 'martians'. Choose one of aol, other"):
        synthesize(tmp_path / "log.tsv", users=5, population="martians")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["aol", "other"]


def test_no_text_is_a_formula_in_a_spreadsheet(tmp_path: Path):
    """Nobody typed these texts, and none begins like a formula: the files may be opened as they are."""
    beside = {name: tmp_path / name for name in ("secrets", "labels", "tasks")}
    synthesize(tmp_path / "log.tsv", users=400, seed=3, **beside)
    for path in (tmp_path / "log.tsv", *beside.values()):
        cells = [cell for line in path.read_text(encoding="utf-8").splitlines() for cell in line.split("\t")]
        assert [cell for cell in cells if defused(cell) != cell] == [], path.name
