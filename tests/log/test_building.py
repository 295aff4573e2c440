"""A store appears whole or not at all, its rejects beside it."""

from crowdlog.log.building import building
from crowdlog.release.place import find_place


def test_it_gets_its_name_at_the_end_and_rejects_move_beside_it(tmp_path):
    target = tmp_path / "deep" / "store"
    with building(target) as folder:
        (folder / "a").write_text("x")
        (folder / "rejects.tsv").write_text("r")
        assert not target.exists()
    assert sorted(p.name for p in target.iterdir()) == ["a"]
    assert sorted(p.name for p in target.parent.iterdir()) == ["store", "store.rejects.tsv"]


def test_a_release_that_waits_under_the_same_name_is_left_alone(tmp_path):
    """Its staged folder is the only output of a charge: an import must not take it for its own leftover."""
    waiting = find_place(tmp_path / "name").staged("a" * 32, 1)
    waiting.mkdir(parents=True)
    with building(tmp_path / "name"):
        pass
    assert waiting.exists()
