"""The digest of the source: an edited line is other code."""

import shutil

from crowdlog.comparison.code import PACKAGE, code_digest


def test_an_edited_line_is_noticed_and_a_compiled_file_is_not(tmp_path):
    copy = tmp_path / "crowdlog"
    shutil.copytree(PACKAGE, copy)
    assert code_digest(copy) == code_digest()
    (copy / "privacy" / "__pycache__").mkdir(exist_ok=True)
    (copy / "privacy" / "__pycache__" / "new.pyc").touch()
    assert code_digest(copy) == code_digest()
    with (copy / "privacy" / "noise.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert code_digest(copy) != code_digest()
