import pyarrow as pa

from crowdlog.measure.vocabulary import TextIds, Vocabulary


def test_known_texts_keep_their_ids_and_unseen_ones_are_added():
    texts = TextIds(pa.array(["a", "b", "c"]))
    assert texts.ids(pa.array(["c", "x", "a", "x"])).tolist() == [2, 3, 0, 3]
    assert texts.ids(pa.chunked_array([["y"], ["x", "b"]])).tolist() == [4, 3, 1]
    assert texts.all().to_pylist() == ["a", "b", "c", "x", "y"]
    assert len(texts) == 5


def test_no_texts_have_no_ids():
    texts = TextIds(pa.array([], pa.string()))
    assert texts.ids(pa.array([], pa.string())).tolist() == []
    assert len(texts) == 0


def test_the_repr_shows_no_text():
    assert (
        repr(Vocabulary(pa.array(["secret"]), pa.chunked_array([["url"]]))) == "Vocabulary(1 queries, 1 urls)"
    )


def test_a_copy_numbers_for_itself():
    first = Vocabulary(pa.array(["a"]), pa.array(["u"]))
    twin = first.copy()
    assert twin.queries.ids(pa.array(["b", "a"])).tolist() == [1, 0]
    assert first.queries.ids(pa.array(["c"])).tolist() == [1]
    assert (len(first.queries), len(twin.urls)) == (2, 1)
