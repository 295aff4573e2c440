"""What may be said about the files of an import: by name to both importers, and checked in one place."""

from __future__ import annotations

from dataclasses import fields

import pytest

from crowdlog.log.formats.options import Reading, ReadOptions
from crowdlog.log.importer import import_log


def test_all_that_may_be_said_is_checked_and_nothing_else_is_taken(tmp_path):
    assert list(Reading.__annotations__) == [field.name for field in fields(ReadOptions)]
    with pytest.raises(TypeError, match="formt"):
        import_log(tmp_path / "log.tsv", tmp_path / "store", formt="aol")
