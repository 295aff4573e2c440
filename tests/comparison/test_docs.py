"""The lines of the guide and the example run as they stand."""

import re
import runpy
from pathlib import Path

from tests.support.logs import crowd_rows, make_log

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "compare.md").read_text(encoding="utf-8")


def test_the_python_lines_run(tmp_path, monkeypatch, capsys):
    make_log(tmp_path, crowd_rows(60, ["weather boston", "used cars"])).path.rename(tmp_path / "STORE")
    monkeypatch.chdir(tmp_path)
    (script,) = re.findall(r"```python\n(.+?)```", GUIDE, flags=re.DOTALL)
    exec(compile(script, "docs/compare.md", "exec"), {})  # noqa: S102 - our own guide
    assert "FTu(k=5) coverage:queries:impressions 1.0 1.0 1.0" in capsys.readouterr().out
    assert (tmp_path / "frontier.html").stat().st_size > 100_000
    assert (tmp_path / "frontier.parquet").exists()


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(DOCS / "examples" / "choose_a_mechanism.py"))
    said = capsys.readouterr().out
    assert re.search(r"^Pseudonyms\(\) +100\.0%$", said, re.MULTILINE)
    assert re.search(r"^ *Pseudonyms\(\) +linkage +0\.9", said, re.MULTILINE)
    assert "Crowd(" not in said.split("broken")[-1].split("chance")[-1], "no attack breaks a private release"
    assert "<table" in names["found"]._repr_html_()
    assert {"example.html", "example.json", "example.parquet", "example-frontier.json"} <= {
        file.name for file in tmp_path.iterdir()
    }
