"""crowdlog study: check, sign, catalogue."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.cli.study import command
from crowdlog.errors import InputError

CASES = json.loads((Path(__file__).parents[1] / "vectors/studies.json").read_text())


def run(*words: str) -> str:
    return CliRunner().invoke(command, words, catch_exceptions=False).output


def test_check_sign_and_catalogue(tmp_path: Path) -> None:
    study, signed, listed, key = (str(tmp_path / name) for name in ("s.json", "signed.json", "c.json", "key"))
    Path(study).write_text(json.dumps(CASES["study"]))
    assert "after a consent of their own" in run("check", study)
    run("sign", study, "--key", key, "-o", signed)
    assert Path(key).stat().st_mode & 0o777 == 0o600
    assert json.loads(run("check", signed, "--json"))["signed"] is True
    run("catalogue", signed, "--key", key, "-o", listed)
    assert json.loads(Path(listed).read_text())["signing"] == json.loads(Path(signed).read_text())["signing"]


def test_check_tells_the_orders_of_a_latin_square(tmp_path: Path) -> None:
    study = tmp_path / "s.json"
    study.write_text(json.dumps({**CASES["study"], "steps": [CASES["lab"], *CASES["study"]["steps"]]}))
    assert "1       shoes   trains  cake" in run("check", str(study))
    ((first, *_others),) = json.loads(run("check", str(study), "--json"))["orders"]
    assert first == ["shoes", "trains", "cake"]


def test_bad_files_say_what_is_wrong(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({**CASES["study"], "until": "2026-10-01"}))
    with pytest.raises(InputError, match="ends before it begins"):
        run("check", str(bad))
    with pytest.raises(InputError, match="ends before it begins"):
        run("sign", str(bad), "--key", str(tmp_path / "key"), "-o", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        run("check", str(bad))
