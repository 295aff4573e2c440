"""The demo: a synthetic log, the default mechanism, a page worth looking at."""

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.release.folder import Release


@pytest.mark.slow
def test_the_demo_shows_tables_of_people_and_no_planted_secret(tmp_path):
    out = tmp_path / "demo"
    words = ["demo", "-o", str(out), "--users", "2000"]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    release = Release.open(out / "release")
    assert release.label.mechanisms == ("Ladder(epsilon=2.3, delta=1e-06, people=2000)",)
    assert release.label.promise.counts == "users"
    page = (out / "index.html").read_text(encoding="utf-8")
    assert f"<dt>words published</dt><dd>{release.label.tables['words']:,}</dd>" in page
    planted = len((out / "secrets.tsv").read_text(encoding="utf-8").splitlines()) - 1
    assert planted > 0
    assert f"<dd>0 of {planted}</dd>" in page
    assert '<th scope="col" class="n">people</th>' in page
    assert "lengths published" not in page, "its rows are those of a public list"
    again = CliRunner().invoke(cli, words)
    assert again.exit_code == 0, "a folder that the demo made is replaced"


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("kept")
    with pytest.raises(InputError, match="was not made by the demo"):
        CliRunner().invoke(cli, ["demo", "-o", str(tmp_path)], catch_exceptions=False)
    assert (tmp_path / "mine").read_text() == "kept"
