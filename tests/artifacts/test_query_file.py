"""One reader for all files of lines query TAB something."""

import pytest

from crowdlog.artifacts.query_file import read_query_file
from crowdlog.errors import InputError

PAIR = {"query": "a query", "topic": "a topic"}


def read(folder, text, columns=PAIR, **options):
    path = folder / "file.tsv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    found = read_query_file(path, "file", columns, **options)
    return list(zip(*(column.to_pylist() for column in found.values()), strict=True))


def test_queries_are_normalised_and_the_rest_is_trimmed(tmp_path):
    assert read(tmp_path, " Used \t Traffic  jam \r\nCAFÉ\xa0noir\tx\n") == [
        ("used", "Traffic  jam"),
        ("café noir", "x"),
    ]


def test_queries_are_represented_after_that(tmp_path):
    assert read(tmp_path, "Used CARS\tx\nthe used car\ty\n", representation="heavy") == [
        ("car use", "x"),
        ("car use", "y"),
    ]


def test_a_file_of_queries_alone_may_have_tabs_and_blank_lines(tmp_path):
    assert read(tmp_path, "\n a\tB \n\n query\n", {"query": "a query"}) == [("a b",), ("query",)]


def test_a_first_line_of_names_says_where_the_columns_stand(tmp_path):
    assert read(tmp_path, "sensitive\ttopic\tquery\n0\tx\tcats\n") == [("cats", "x")]
    assert read(tmp_path, "\ufeffquery\ttopic\ncats\tx\n") == [("cats", "x")]


def test_further_columns_only_where_they_are_allowed(tmp_path):
    assert read(tmp_path, "cats\tx\t0\ndogs\ty\n", more=True) == [("cats", "x"), ("dogs", "y")]
    with pytest.raises(InputError, match="line 1 is not a query, a tab and a topic"):
        read(tmp_path, "cats\tx\t0\ndogs\ty\n")


@pytest.mark.parametrize("bad", ["canary", "canary\t", "\tcanary", "canary\t \t", "canary\ta\tb"])
def test_a_bad_line_is_named_by_its_number_in_the_file(tmp_path, bad):
    with pytest.raises(
        InputError, match=r"file\.tsv cannot be used: line 4 is not a query, a tab and a topic\.$"
    ) as error:
        read(tmp_path, f"query\ttopic\ncats\tx\n\n{bad}\ndogs\n")
    assert "canary" not in str(error.value)


@pytest.mark.parametrize("text", ["", "\n \n", "query\ttopic\n"])
def test_empty_files(tmp_path, text):
    with pytest.raises(InputError, match=r"is empty\. Give lines of a query, a tab and a topic"):
        read(tmp_path, text)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="it is not UTF-8 text"):
        read(tmp_path, b"\xff\xfe\t\n")
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        read_query_file(tmp_path / "missing", "file", PAIR)
