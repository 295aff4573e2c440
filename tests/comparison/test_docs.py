"""The lines of the guide run as they stand."""

import re
from pathlib import Path

from tests.support.logs import crowd_rows, make_log

GUIDE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")


def test_the_python_lines_run(tmp_path, monkeypatch, capsys):
    make_log(tmp_path, crowd_rows(60, ["weather boston", "used cars"])).path.rename(tmp_path / "STORE")
    monkeypatch.chdir(tmp_path)
    (script,) = re.findall(r"```python\n(.+?)```", GUIDE, flags=re.DOTALL)
    exec(compile(script, "docs/compare.md", "exec"), {})  # noqa: S102 - our own guide
    assert "FTu(k=5) coverage:queries:impressions 1.0 1.0 1.0" in capsys.readouterr().out
    assert (tmp_path / "frontier.html").stat().st_size > 100_000
    assert (tmp_path / "frontier.parquet").exists()
