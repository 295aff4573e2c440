"""The digest of the source: an edited line is other code."""

import shutil

from crowdlog.experiments.source_digest import PACKAGE, source_digest


def test_an_edited_line_is_noticed_and_a_compiled_file_is_not(tmp_path):
    copy = tmp_path / "crowdlog"
    shutil.copytree(PACKAGE, copy)
    assert source_digest(copy) == source_digest()
    (copy / "privacy" / "__pycache__").mkdir(exist_ok=True)
    (copy / "privacy" / "__pycache__" / "new.pyc").touch()
    assert source_digest(copy) == source_digest()
    with (copy / "privacy" / "noise.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert source_digest(copy) != source_digest()
