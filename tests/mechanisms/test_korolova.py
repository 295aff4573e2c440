"""Public result lists are written by people:
their queries and URLs are brought into the spelling of the log.
"""

import pytest

from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import make_log

URL = "http://weather.example"


@pytest.mark.parametrize(
    ("line", "representation"),
    [
        (f"weather boston\t{URL}", "original"),
        (f"Weather  Boston\t{URL}", "original"),
        (f" WEATHER boston \t {URL} ", "original"),
        (f"Weather, Boston\t{URL}", "light"),
        (f"Boston weather\t{URL}", "heavy"),
    ],
)
def test_a_public_result_is_found_however_its_query_is_written(tmp_path, line, representation):
    log = make_log(tmp_path, [(f"u{i}", "weather boston", 0, URL) for i in range(200)])
    surfaced = tmp_path / "surfaced.tsv"
    surfaced.write_text(line + "\n", encoding="utf-8")
    spelling = (
        f"Korolova(epsilon=9, delta=1e-3, d=1, urls='public', surfaced={str(surfaced)!r}, "
        f"representation={representation!r})"
    )
    clicks = parse(spelling).protect(log, SeededRandomness(1)).tables["clicks"]
    assert clicks.num_rows == 1
    assert clicks["url"].to_pylist() == [URL]
    assert clicks["count"][0].as_py() > 100
