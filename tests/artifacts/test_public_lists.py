import pytest

from crowdlog.artifacts.public_lists import NGRAMS, read_features, read_pool, read_surfaced
from crowdlog.errors import InputError


def write(folder, text):
    path = folder / "public.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_pool_is_normalised_sorted_and_without_repeats(tmp_path):
    path = write(tmp_path, "Used  Cars\nweather\n\nUSED cars\n")
    assert read_pool(path, "original").to_pylist() == ["used cars", "weather"]
    assert read_pool(path, "heavy").to_pylist() == ["car use", "weather"]


def test_the_built_in_pool_holds_words_and_pairs_of_words_without_stop_words():
    pool = set(read_pool(NGRAMS, "original").to_pylist())
    assert {"used cars", "weather", "weather forecast"} <= pool
    assert "abbott and" not in pool
    assert len(pool) > 100_000


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_pool_is_an_error(tmp_path, text):
    with pytest.raises(InputError, match="is empty"):
        read_pool(write(tmp_path, text), "original")


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for path in ("missing", "bytes"):
        with pytest.raises(InputError, match="cannot be read"):
            read_pool(str(tmp_path / path), "original")
        with pytest.raises(InputError, match="cannot be read"):
            read_features(str(tmp_path / path), "original")


def test_topics_of_queries(tmp_path):
    queries, topic, topics = read_features(
        write(tmp_path, "Cats\tanimals\nused cars\ttraffic\ncats\tpets\n"), "original"
    )
    assert dict(zip(queries.to_pylist(), [topics[i] for i in topic], strict=True)) == {
        "cats": "pets",
        "used cars": "traffic",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), ("cats\tpets\ndogs\n", "line 2"), ("cats\t\n", "line 1"), ("a\tb\tc\n", "line 1")],
)
def test_files_of_topics_that_make_no_sense(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as error:
        read_features(write(tmp_path, text), "original")
    assert "cats" not in str(error.value)


def test_public_results_are_pairs_in_the_spelling_of_the_log_each_once_and_sorted(tmp_path):
    lines = (
        "Weather  Boston\thttp://b.example",
        "cars\thttp://c.example",
        "weather boston\thttp://b.example",
    )
    path = write(tmp_path, "\n".join(lines))
    rows = [("cars", "http://c.example"), ("weather boston", "http://b.example")]
    assert [tuple(row.values()) for row in read_surfaced(path).to_pylist()] == rows
    heavy = read_surfaced(path, "heavy")["query"].to_pylist()
    assert heavy == ["boston weather", "car"]
