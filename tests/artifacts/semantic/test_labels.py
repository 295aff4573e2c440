import pytest

from crowdlog.artifacts.semantic.labels import read_labels
from crowdlog.errors import InputError
from tests.artifacts.semantic.logs import make_log


def test_labels_of_the_logs_queries(tmp_path):
    log = make_log(tmp_path, [("a", "flu"), ("b", 'say "hi"'), ("b", "cars")])
    (tmp_path / "labels.tsv").write_text(
        'query\ttopic\tsensitive\nnot there\tx\t1\ncars\tx\t0\nsay "hi"\tx\t0\nflu\thealth\t1\n',
        encoding="utf-8",
    )
    labels = read_labels(tmp_path / "labels.tsv", log)
    assert log.query_texts(labels.query).to_pylist() == ["cars", 'say "hi"', "flu"]
    assert labels.harmless.tolist() == [True, True, False]


@pytest.mark.parametrize("text", ["query\ttopic\nflu\tx\n", "query\tsensitive\nflu\tcanary\n", ""])
def test_bad_labels_are_named_without_their_text(tmp_path, text):
    log = make_log(tmp_path, [("a", "flu")])
    (tmp_path / "labels.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot be read|is empty") as caught:
        read_labels(tmp_path / "labels.tsv", log)
    assert "canary" not in str(caught.value)


def test_missing_labels(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_labels(tmp_path / "none.tsv", make_log(tmp_path, [("a", "flu")]))
