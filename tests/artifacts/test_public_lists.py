import pytest

from crowdlog.artifacts.public_lists import NGRAMS, read_features, read_pool
from crowdlog.engine.log_source import open_log
from crowdlog.errors import InputError
from tests.support.logs import make_log


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, [("ann", "www.dogs.com", 0, None), ("ann", "cats", 60, None), ("bob", "a private name", 0, None)])


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


@pytest.mark.parametrize("representation", ["original", "light"])
def test_positions_are_places_in_the_pool(log, tmp_path, representation):
    pool = read_pool(write(tmp_path, "zebras\nwww.dogs.com\ncats\n"), representation)
    with open_log(log, representation) as mine:
        found = mine.places(pool)
        texts = mine.query_texts(range(log.info.queries)).to_pylist()
    wanted = pool.to_pylist()
    assert [wanted[place] if place >= 0 else None for place in found] == [text if text in wanted else None for text in texts]
    assert sorted(place >= 0 for place in found) == [False, True, True]


def test_topics_of_queries(tmp_path):
    queries, topic, topics = read_features(write(tmp_path, "Cats\tanimals\nused cars\ttraffic\ncats\tpets\n"), "original")
    assert dict(zip(queries.to_pylist(), [topics[i] for i in topic], strict=True)) == {"cats": "pets", "used cars": "traffic"}


@pytest.mark.parametrize(("text", "message"), [("", "is empty"), ("cats\tpets\ndogs\n", "line 2"), ("cats\t\n", "line 1"), ("a\tb\tc\n", "line 1")])
def test_files_of_topics_that_make_no_sense(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as error:
        read_features(write(tmp_path, text), "original")
    assert "cats" not in str(error.value)
