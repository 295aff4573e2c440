"""A label goes to JSON and comes back the same; one that is damaged gets a sentence that names the place."""

import copy
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.privacy.guarantee import ANONYMITY, NO_GUARANTEE, Guarantee, approximate
from crowdlog.release.explain import label_page
from crowdlog.release.folder import Release
from crowdlog.release.label import VERSION, Label, Model
from crowdlog.release.promise import Promise, Step

SPELLING = "Korolova(epsilon=4, delta=1e-9, d=2)"


def label_of(spelling=SPELLING, **more):
    return Label((spelling,), parse(spelling).promise(), {"queries": 3, "clicks": 0}, "a store", **more)


STORED = label_of(notes={"k": 5, "how": "by lot"}, warnings=("Mind the gap.",)).to_json()
PLACES = [
    (section, name)
    for section, part in STORED.items()
    for name in ([None] if not isinstance(part, dict) else part)
]


def through_json(label):
    return Label.read(json.loads(json.dumps(label.to_json(), allow_nan=False)))


printable = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=5)  # others are refused
texts = st.lists(printable, max_size=3).map(tuple)
guarantees = st.one_of(
    st.just(NO_GUARANTEE),
    st.builds(approximate, st.floats(0, 100), st.floats(0, 0.99)),
    st.builds(
        lambda k, kind: Guarantee(float("inf"), 1.0, kind, k=k),
        st.integers(2, 99),
        st.sampled_from([*ANONYMITY]),
    ),
)


@given(
    st.lists(st.sampled_from(["FTu(k=99)", "FTu(k=99, artifact='click')"]), min_size=1, max_size=3),
    guarantees,
    texts,
    st.dictionaries(printable, st.one_of(st.integers(-(10**30), 10**30), st.floats(-9, 9), printable)),
)
def test_what_is_written_is_read_back(mechanisms, guarantee, sentences, numbers):
    promise = Promise(
        guarantee,
        tuple(Step(sentence, "what", 0.5) for sentence in sentences),
        () if guarantee.protects else parse(mechanisms[0]).plan,
        numbers,
        sentences,
        errata=sentences,
        unprotected=sentences,
        accounting=({"kind": "gaussian", "mu": 0.5},),
        as_published=numbers,
    )
    label = Label(tuple(mechanisms), promise, {"queries": 7}, "source", 3, False, sentences, numbers)
    assert through_json(label) == label


def test_where_the_log_was_is_kept():
    label = label_of(model=Model("Distributed", "People keep their logs."), software="9.9", date="2030-01-01")
    assert through_json(label) == label
    assert through_json(label).rows == 3


def test_a_label_of_several_mechanisms_names_each():
    label = Label(("FTu(k=5)", "FTu(k=5, artifact='click')"), parse("FTu(k=5)").promise(), {}, "collection")
    assert label.name == "crowdlog release by FTu and FTu"
    assert label.to_json()["implementation"]["mechanism"] == "FTu(k=5) and FTu(k=5, artifact='click')"
    assert [repr(parse(spelling)) for spelling in through_json(label).mechanisms] == list(label.mechanisms)


# For people, or said again elsewhere: nothing is read there, so nobody is misled by a change.
DERIVED = {
    *(("name", None), ("data_product_type", None)),
    *(("dp_flavor", "data_domain"), ("accounting", "composition"), ("implementation", "mechanism")),
    *(("privacy_loss", f"privacy_{part}") for part in ("unit", "unit_description", "parameters_description")),
    *(("model", "release_type"), ("model", "is_interactive")),
    *(("crowdlog", "counts"), ("crowdlog", "error_bars"), ("crowdlog", "guarantee")),
}


@pytest.mark.parametrize("place", [place for place in PLACES if place not in DERIVED], ids=str)
@pytest.mark.parametrize("damage", ["missing", "of another kind"])
def test_a_damaged_label_is_refused_with_its_place(place, damage):
    section, name = place
    stored = copy.deepcopy(STORED)
    holder, key = (stored, section) if name is None else (stored[section], name)
    if damage == "missing":
        del holder[key]
    else:
        holder[key] = [[object()]]
    with pytest.raises(InputError, match="The label of OUT cannot be read: ") as caught:
        Label.read(stored, of="OUT")
    said = str(caught.value)
    assert key in said
    assert "\n" not in said
    assert said.endswith(".")


@pytest.mark.parametrize("stored", [None, [], {}, 3, "label", {"crowdlog": []}])
def test_what_is_no_label_is_refused(stored):
    with pytest.raises(InputError, match=r"it has no 'crowdlog\.label_version'"):
        Label.read(stored)


def test_another_version_is_refused():
    stored = copy.deepcopy(STORED)
    stored["crowdlog"]["label_version"] = VERSION - 1
    with pytest.raises(
        InputError, match=f"it has version {VERSION - 1} and this crowdlog reads version {VERSION}"
    ):
        Label.read(stored)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("dp_flavor", "name"), "perfect DP"),
        (("privacy_loss", "privacy_parameters"), {"epsilon": -1.0, "delta": 0.1}),
        (("privacy_loss", "privacy_parameters"), {"epsilon": float("inf"), "delta": 0.1}),
        (("accounting", "steps"), [{"name": "Select"}]),
        (("accounting", "steps"), [{"name": "Select", "what": "all", "cost": 3}]),
        (("crowdlog", "tables"), {"queries": "many"}),
    ],
)
def test_impossible_values_are_refused(place, value):
    stored = copy.deepcopy(STORED)
    stored[place[0]][place[1]] = value
    with pytest.raises(InputError, match="cannot be read"):
        Label.read(stored)


def test_a_release_with_a_damaged_label_is_named(tmp_path):
    (tmp_path / "label.json").write_text('{"crowdlog": {}}', encoding="utf-8")
    with pytest.raises(InputError, match=f"The label of {tmp_path} cannot be read"):
        Release.open(tmp_path)


CROWD = label_of("Crowd(epsilon=1, delta=1e-7)").to_json()


def numbers_in(part, way=()):
    """The way to each number of a label; of long lists, to the first three."""
    if type(part) in (int, float):
        yield way
    names = part if isinstance(part, dict) else range(len(part[:3])) if isinstance(part, list) else ()
    for name in names:
        yield from numbers_in(part[name], (*way, name))


@pytest.mark.parametrize("way", list(numbers_in(CROWD)), ids=str)
def test_no_number_in_the_place_of_another_is_a_fault_of_ours(way):
    """Nor does it take for ever: a threshold of a million deviations has a chance with 10¹¹ zeros."""
    for number in (0, -1, 10**9, 1e300, -1e300, 5e-324, 10**400):
        stored = copy.deepcopy(CROWD)
        holder = stored
        for name in way[:-1]:
            holder = holder[name]
        holder[way[-1]] = number
        with suppress(InputError):
            label_page(Label.read(stored))
