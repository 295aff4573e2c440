import re

import pytest
from click.testing import CliRunner

from crowdlog.cli.page import command
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.release.publish import publish
from tests.support.logs import crowd_rows, make_log

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>'


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    log = make_log(folder, crowd_rows(400, ["weather boston", "used cars"]))
    return publish(parse("Korolova(epsilon=4, delta=1e-9, d=2)"), log, folder / "out", i_know=True)


def write(release, tmp_path, *words: str) -> str:
    out = tmp_path / "page.html"
    told = CliRunner().invoke(command, [str(release.path), "-o", str(out), *words], catch_exceptions=False)
    assert told.exit_code == 0, told.output
    return out.read_text(encoding="utf-8")


def test_without_a_title_it_is_the_page_of_the_release(release, tmp_path):
    assert write(release, tmp_path) == (release.path / "index.html").read_text(encoding="utf-8")


def test_a_title_and_a_logo_of_ones_own(release, tmp_path):
    logo = tmp_path / "logo.svg"
    logo.write_text(LOGO, encoding="utf-8")
    page = write(release, tmp_path, "--title", "March <& April>", "--logo", str(logo))
    assert re.search(r"<title>(.*)</title>", page)[1] == "March &lt;&amp; April&gt;"
    assert '<img class="logo" src="data:image/svg+xml;base64,' in page
    assert "weather boston" in page


@pytest.mark.parametrize(("place", "why"), [("none/page.html", "No such file"), (".", "Is a directory")])
def test_a_place_that_cannot_be_written_is_told(release, tmp_path, place, why):
    words = [str(release.path), "-o", str(tmp_path / place)]
    with pytest.raises(InputError, match=why):
        CliRunner().invoke(command, words, catch_exceptions=False)


def test_tables_that_were_changed_are_not_shown(release, tmp_path):
    table = release.path / "queries.parquet"
    before = table.read_bytes()
    table.write_bytes(before + b" ")
    try:
        with pytest.raises(InputError, match="not the table that the label was written for"):
            write(release, tmp_path)
    finally:
        table.write_bytes(before)
    assert list(tmp_path.iterdir()) == []
