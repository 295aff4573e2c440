"""Temporary files hold neither the secret of a release nor a text of the log that could be read."""

from __future__ import annotations

import pytest

from crowdlog.engine.spark import source
from crowdlog.engine.spark.load import importer
from crowdlog.mechanisms import parse
from crowdlog.privacy.keyed import KeyedRandomness

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
PACKED = b"\x28\xb5\x2f\xfd"  # how what zstd packed begins: texts would be in it
SECRET = b"the secret of this very release!"


def on_disk(spark) -> bytes:
    """All that lies in the session's folder of temporary files."""
    paths = (path for path in spark._scratch.path.rglob("*") if path.is_file())
    return b"".join(path.read_bytes() for path in paths)


def test_a_release_leaves_no_secret(log, spark, monkeypatch):
    seen = []
    joined = source.joined_kept

    def looking(found):
        seen.append(on_disk(spark))
        return joined(found)

    monkeypatch.setattr(source, "joined_kept", looking)
    secret = KeyedRandomness(SECRET, private=False)
    parse("DPu(epsilon=20, delta=1e-2, d=4, keep='random')").protect(log, secret, engine=spark)
    assert len(seen[0]) > 200, f"{len(seen[0])}: there must be something to look at"
    for form in (SECRET, SECRET.hex().encode(), secret.within("queries").bytes(16).hex().encode()):
        assert not any(form in data for data in seen)


def test_an_import_leaves_no_text(spark, tmp_path, monkeypatch):
    seen = []
    check_enough = importer.check_enough

    def looking(*given, **more):
        seen.append(on_disk(spark))
        check_enough(*given, **more)

    monkeypatch.setattr(importer, "check_enough", looking)
    rows = "".join(f"u{i % 9}\tcanary{i}\t2006-03-01 10:00:00\t\t\n" for i in range(4000))
    (tmp_path / "log.tsv").write_text(rows)
    importer.import_there(tmp_path / "log.tsv", tmp_path / "store", context=spark.context)
    assert len(seen[0]) > 4_000, "the pieces of the log lie there"
    assert b"canary" not in seen[0]
    assert PACKED not in seen[0]
    assert not [path for path in tmp_path.iterdir() if "partial" in path.name]
