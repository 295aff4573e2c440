"""The Python interface as a notebook meets it: names to complete, short representations, helpful errors."""

import pytest

import crowdlog
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.mechanisms import MECHANISMS


def test_completion_offers_the_interface_and_nothing_else():
    names = dir(crowdlog)
    assert {"LogStore", "Promise", "Release", "Comparison"} <= set(names)
    assert {"LogStore", "attack", "compare", "import_log", "parse", "score", "Crowd"} <= set(names)
    assert set(MECHANISMS) <= set(names)
    assert not {"importlib", "Any", "annotations"} & set(names)
    assert all(getattr(crowdlog, name) is not None for name in names)


def test_a_misspelt_parameter_is_answered_as_on_the_command_line():
    with pytest.raises(InputError, match=r"Crowd has no parameter 'eps'\. It has: epsilon, delta"):
        crowdlog.Crowd(eps=1)
    with pytest.raises(InputError, match="Crowd needs the parameter 'delta'"):
        crowdlog.Crowd(epsilon=1)
    assert repr(crowdlog.Korolova(2.3, 1e-5, d=20)) == "Korolova(epsilon=2.3, delta=1e-05, d=20)"


def test_representations_are_short_and_show_no_text(tmp_path):
    lines = "".join(f"u{i}\tCANARY {i}\t2006-03-01 10:00:00\t\t\n" for i in range(30))
    (tmp_path / "log.tsv").write_text(lines)
    store = import_log(tmp_path / "log.tsv", tmp_path / "st<b>ore")
    made = crowdlog.Korolova(epsilon=3, delta=1e-3, d=5)
    released = made.release(store, tmp_path / "out", budget=(5, 0.1))
    for shown in (store, made.promise(), released):
        assert len(repr(shown)) < 300
        page = shown._repr_html_()
        assert page.startswith("<table>")
        assert "CANARY" not in repr(shown) + page
        assert "<script" not in page
    assert "st&lt;b&gt;ore" in store._repr_html_()
