"""Trees of categories, and where queries belong in them: examples 1 to 3 of Erola 2013, §5.5.1."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.artifacts.knowledge.directory import read_directory
from crowdlog.artifacts.knowledge.mapping import by_phrases, by_words, map_queries
from crowdlog.artifacts.knowledge.noun_phrases import noun_phrases, phrase_words
from crowdlog.artifacts.knowledge.tree import name_of, tree_of_paths
from crowdlog.artifacts.knowledge.wordnet import read_wordnet, wordnet_folder
from crowdlog.artifacts.representations import light
from crowdlog.errors import InputError

PATHS = [
    "Sports/Water Sports/Swimming and Diving",
    "Sports/Water Sports/Windsurfing",
    "Regional/Europe/Regions/Mediterranean",
    "Sports/Diving",
]
needs_wordnet = pytest.mark.skipif(wordnet_folder() is None, reason="WordNet is not installed")


def test_example_1_a_query_is_split_into_its_noun_phrases():
    assert noun_phrases("diving in the mediterranean") == [("dive",), ("mediterranean",)]
    assert noun_phrases("windsurfing in the mediterranean") == [("windsurf",), ("mediterranean",)]
    assert noun_phrases("the of and") == []


@given(
    st.lists(st.sampled_from("the www.sun.com o'brien old quickly sea_shell a-b .net é.org red, win".split()))
    | st.lists(st.text("aé_.-'w com\u3000", max_size=6))
)
def test_the_words_of_phrases_are_those_of_the_text_as_a_whole(parts):
    text = " ".join(parts)
    assert phrase_words(text) == phrase_words(light(text))
    assert [word for words in phrase_words(text) for word in words] == [
        word for words in _one_word_at_a_time(light(text).split()) for word in words
    ]


def _one_word_at_a_time(words):
    """Runs that end where a word alone is no phrase; an adjective alone is none, but does not end one."""
    runs, run = [], []
    for word in words:
        if phrase_words(f"{word} sun")[0] == (word, "sun"):
            run.append(word)
            continue
        runs, run = [*runs, run], []
    runs.append(run)
    for run in runs:
        while run and not phrase_words(run[-1]):
            run.pop()
    return runs


def test_a_phrase_is_found_without_stop_words_by_stems_and_loses_words_from_the_left():
    tree = tree_of_paths("t", [(("Sports", "Water_Sports"), 0), (("Sports",), 0)])
    find = by_phrases(tree)
    assert name_of("this water sports") == name_of("Water_Sport") == ("water", "sport")
    assert find("exciting water sports") == find("water sport") == [1]
    assert find("loud sports") == [0]
    assert find("chess") == []


def test_words_have_their_first_categories_the_largest_first():
    tree = tree_of_paths("t", [(("A", "Java"), 1), (("B", "Java"), 9), (("C", "D", "Java"), 5)])
    order = [(tree.parent[c], tree.depth[c]) for c in by_words(tree, 5)("the java")]
    assert [tree.parent[c] for c in by_words(tree, 1)("java")] == [order[0][0]]
    assert [depth for _parent, depth in order] == [2, 3, 2]
    mapping = map_queries(["java java", "tea", ""], by_words(tree, 2))
    assert mapping.start.tolist() == [0, 4, 4, 4]
    assert mapping.mapped.tolist() == [True, False, False]


def test_levels_and_ancestors():
    tree = tree_of_paths("t", [(tuple(path.split("/")), 0) for path in PATHS])
    deep = tree.named[("windsurf",)][0]
    first, second, fourth = (int(tree.at_level(level)[deep]) for level in (1, 2, 4))
    assert tree.depth[deep] == 3
    assert (int(tree.parent[deep]), int(tree.parent[second]), fourth) == (second, first, -1)


@pytest.mark.parametrize("separator", ["/", ": ", " > "])
@pytest.mark.parametrize("packed", [False, True])
def test_path_lists_are_read_in_the_usual_layouts(tmp_path, separator, packed):
    lines = "\n".join(f"{path.replace('/', separator)}\t{i}" for i, path in enumerate(PATHS)) + "\n\n"
    place = tmp_path / ("tree.tsv.gz" if packed else "tree.tsv")
    place.write_bytes(gzip.compress(lines.encode()) if packed else lines.encode())
    tree = read_directory(place)
    assert len(tree) == 9
    assert sorted(tree.depth.tolist()) == [1, 1, 2, 2, 2, 3, 3, 3, 4]


def test_the_rdf_of_the_open_directory_is_read_without_its_root(tmp_path):
    place = tmp_path / "structure.rdf.u8"
    place.write_text(
        '<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns="http://dmoz.org/rdf/">'
        '<Topic r:id="Top"/><Topic r:id="Top/Arts"><link r:resource="x"/></Topic>'
        '<Topic r:id="Top/Arts/Movies"><link r:resource="y"/><link r:resource="z"/></Topic></RDF>',
        encoding="utf-8",
    )
    tree = read_directory(place)
    assert {("art",), ("movi",)} <= set(tree.named)
    assert tree.depth[tree.named[("movi",)][0]] == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.tsv", "Sports\tmany\n", "line 1 is not a path"),
        ("t.tsv", "", "is empty"),
        ("t.tsv", b"\xff\xfe\xfa", "not UTF-8"),
        ("t.rdf", "<RDF>", "not well-formed"),
        ("t.tsv.gz", "Sports", "cannot be read"),
        (None, "", "cannot be read"),
    ],
)
def test_a_bad_tree_is_one_clear_sentence(tmp_path, name, content, message):
    if name:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        read_directory(tmp_path / (name or "nowhere.tsv"))


def test_without_wordnet_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr("crowdlog.artifacts.knowledge.wordnet.FOLDERS", ())
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    with pytest.raises(InputError, match="apt-get install wordnet-base"):
        read_wordnet.__wrapped__()


@needs_wordnet
def test_wordnet_is_a_tree_of_nouns_in_which_diseases_are_near_each_other():
    import numpy as np

    from crowdlog.clusters.distances.semantic import semantic
    from crowdlog.clusters.mdav import mdav
    from crowdlog.clusters.profiles import profiles_of
    from crowdlog.clusters.space import MatrixSpace
    from tests.support.naive_clusters import as_sets

    tree = read_wordnet()
    assert len(tree) == 82_115  # WordNet 3.0
    find = by_phrases(tree)
    # §5.4: flu, golf, hypertension, football and k = 2.
    four = [find(word)[0] for word in ("flu", "golf", "hypertension", "football")]
    distance = semantic(profiles_of(np.arange(4), np.array(four), 4), tree)
    assert as_sets(mdav(MatrixSpace(distance.matrix()), 2)) == {frozenset({0, 2}), frozenset({1, 3})}
