import pyarrow as pa
import pytest

from crowdlog.artifacts.packed_keys import SHIFT
from crowdlog.errors import InputError
from crowdlog.measure.released import read_release
from crowdlog.measure.vocabulary import Vocabulary
from crowdlog.utility.context import MeasureSettings, Truth


def named(table, texts):
    return {
        tuple(texts[int(i)] for i in (k // SHIFT, k % SHIFT)): n
        for k, n in zip(table.key.tolist(), table.count.tolist(), strict=True)
    }


def test_tables_are_numbered_as_the_log_is(make_release):
    vocabulary = Vocabulary(pa.array(["a", "b"]), pa.array(["u"]))
    release = make_release(
        "hash", queries=[("b", 3), ("new", 2)], clicks=[("b", "v", 4)], pairs=[("a", "new", 1)]
    )
    tables = read_release(release, vocabulary, 26)
    assert dict(zip(tables.queries.key.tolist(), tables.queries.count.tolist(), strict=True)) == {1: 3, 2: 2}
    assert tables.clicks.key.tolist() == [1 * SHIFT + 1]
    assert named(tables.pairs, vocabulary.queries.all().to_pylist()) == {("a", "new"): 1}
    assert tables.flow is tables.pairs


def test_sequences_give_transitions(make_release):
    vocabulary = Vocabulary(pa.array(["a", "b", "c"]), pa.array([], pa.string()))
    tables = read_release(
        make_release("hash", sessions=[(["a", "b", "c"], 5), (["a", "b"], 2), (["c"], 9)]), vocabulary, 26
    )
    texts = vocabulary.queries.all().to_pylist()
    assert named(tables.sequences, texts) == {("a", "b"): 2}
    assert named(tables.flow, texts) == {("a", "b"): 7, ("b", "c"): 5, ("a", "c"): 5}
    assert tables.queries is tables.clicks is tables.pairs is None


def test_a_release_of_rows_is_counted_like_the_log(make_store, make_release):
    rows = [
        ("2", 0, "a", 1, "u"),
        ("2", 0, "a", 2, "v"),
        ("1", 50, "b", None, None),
        ("1", 5000, "a", 1, "u"),
        ("2", 60, "b", None, None),
    ]
    store = make_store(rows)
    release = make_release("hash", events=[(int(user), *row) for user, *row in rows])
    truth = Truth(store, MeasureSettings())
    ours, log = read_release(release, truth.vocabulary, 26), truth.tables
    for name in ("queries", "clicks", "pairs", "flow"):
        assert getattr(ours, name).key.tolist() == getattr(log, name).key.tolist()
        assert getattr(ours, name).count.tolist() == getattr(log, name).count.tolist()


def test_an_empty_release_is_refused(make_release):
    vocabulary = Vocabulary(pa.array(["a"]), pa.array(["u"]))
    with pytest.raises(InputError, match="is empty"):
        read_release(make_release("hash", queries=[]), vocabulary, 26)
    with pytest.raises(InputError, match="is empty"):
        read_release(make_release("hash", name="bare"), vocabulary, 26)
