"""Policies of a collection: which mechanisms fit, what they publish, and that their promise holds although
the opening looks at the data first.
"""

import numpy as np
import pytest
from click.testing import CliRunner

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.cli.verify import command as verify
from crowdlog.crowd.artifact import OpenedArtifact
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.publication import (
    decide_layer,
    policies_of,
    promise_of_layer,
    sampling_of,
    together,
)
from crowdlog.crowd.write_release import write_crowd_log
from crowdlog.errors import InputError
from crowdlog.mechanisms import MECHANISMS, find, parse
from crowdlog.mechanisms.base import Mechanism
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness, SystemRandomness
from crowdlog.release.folder import Release
from tests.support.logs import make_log
from tests.support.manifests import manifest_of

K = 5
MIXES = [{"owner": "somebody", "passed": 40, "batches": 3, "smallest_batch": 12, "rejected": 1, "refused": 0}]
# ε = 60 with d = 1: the noise is 0 but for a chance of 1e-26.
QUIET = "Zealous(epsilon=60, delta=1e-6, d=1, keep='random')"


def _manifest(
    policy: str,
    count: str = "users",
    limit: int = 1,
    artifact: str = "query",
    representation: str = "original",
) -> Manifest:
    return manifest_of(
        k=K, artifact=artifact, representation=representation, limit=limit, count=count, policy=policy
    )


def _opened(artifact: str, people: int, impressions: int = 1) -> OpenedArtifact:
    return OpenedArtifact(artifact.encode(), people, people * impressions)


def _decided(manifest: Manifest, *opened: OpenedArtifact, randomness=None) -> dict[bytes, dict[str, int]]:
    (policy,), (layer,) = policies_of(manifest), manifest.layers
    return {
        group.artifact: row
        for group, row in decide_layer(policy, manifest, layer, opened, randomness or SystemRandomness()).kept
    }


def _promise(manifest: Manifest):
    return promise_of_layer(policies_of(manifest)[0], manifest, manifest.layers[0])


NEBULA = "Nebula(epsilon=1, delta=1e-8, p=0.105, d=3, k=20)"


def test_members_who_draw_themselves_need_nobody_to_add_noise():
    manifest = manifest_of(k=K, limit=3, policy=NEBULA, sampling=105_000)
    found = _decided(manifest, _opened("a", 19), _opened("b", 20), _opened("c", 31))
    assert found == {b"b": {"count": 20}, b"c": {"count": 31}}  # what members drew, drawn no second time
    promise = _promise(manifest)
    assert promise.guarantee == parse(NEBULA).promise().guarantee
    assert promise.guarantee.delta < 1e-8
    assert promise.proof == "proofs/nebula.md"
    assert any("for all that it sees, δ is" in sentence for sentence in promise.unprotected)
    assert promise.tables[0].selection.by_people


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sampling": 100_000}, "report with probability 0.105"),
        ({"sampling": 1_000_000}, "report with probability 0.105"),
        ({"limit": 4}, "needs d=4"),
        ({"policy": None}, "report with probability 1"),
        ({"k": 25}, "opens nothing below 25"),
        ({"count": "impressions"}, "counts users"),
    ],
)
def test_members_and_policy_must_draw_alike(change, said):
    terms = {"k": K, "limit": 3, "policy": NEBULA, "sampling": 105_000, **change}
    with pytest.raises(InputError, match=said):
        policies_of(manifest_of(**terms))


def test_texts_of_the_secondary_field_are_shown_where_k_people_wrote_them(tmp_path):
    manifest = manifest_of(k=K, representation="heavy", secondary="original")
    groups = [
        OpenedArtifact(b"car use", 6, 6, "Used Cars", 5),
        OpenedArtifact(b"weather", 7, 7, "weather for anna", 4),
    ]
    release = write_crowd_log(manifest, [groups], tmp_path / "out", SystemRandomness(), joined=9, mixes=MIXES)
    rows = release.table("queries").to_pylist()
    assert [(row["query"], row["original"]) for row in rows] == [("weather", ""), ("car use", "Used Cars")]
    with pytest.raises(InputError, match="secondary field break"):
        policies_of(manifest_of(k=K, limit=1, policy=QUIET, secondary="original"))


def test_nested_collections_do_not_sample():
    nested = {"inner_artifact": "click", "inner_k": 6, "inner_policy": "FTu(k=6, artifact='click')"}
    with pytest.raises(InputError, match="one level"):
        policies_of(manifest_of(k=K, limit=3, policy=NEBULA, sampling=105_000, **nested))


def test_a_policy_says_with_which_probability_members_report():
    assert sampling_of(NEBULA) == 105_000
    assert sampling_of("FTu(k=5)") == sampling_of(None) == 1_000_000


def test_ftu_publishes_all_from_its_own_k():
    assert _decided(_manifest("FTu(k=7)"), _opened("a", 6), _opened("b", 7)) == {b"b": {"count": 7}}


@pytest.mark.parametrize("count", ["users", "impressions"])
def test_the_label_says_what_this_collection_counts(count):
    promise = _promise(_manifest("FTu(k=7)", count))
    said = [step.what for step in promise.steps if step.name == "Select queries"]
    assert said == [f"Publish queries of at least 7 different people, with exact counts of {count}."]


def test_impressions_are_shown_with_people_beside_them():
    assert _decided(_manifest("FTu(k=5)", "impressions"), _opened("a", 6, 3)) == {
        b"a": {"count": 18, "users": 6}
    }


def test_fta_looks_at_impressions_of_what_was_opened():
    manifest = _manifest("FTa(k=12)", "impressions")
    assert _decided(manifest, _opened("a", 5, 2), _opened("b", 6, 2)) == {b"b": {"count": 12, "users": 6}}
    assert any("fewer than 5 people" in step.what for step in _promise(manifest).steps)


def test_ka_publishes_clicks_of_more_than_its_k_people():
    assert _decided(_manifest("KA(K=5)", artifact="click"), _opened("q\tu", 5), _opened("q\tv", 6)) == {
        b"q\tv": {"count": 6}
    }


def test_k_anonymity_is_ftu_in_its_own_words():
    assert _decided(_manifest("KAnonymity(k=6)", "impressions"), _opened("a", 5, 3), _opened("b", 6, 2)) == {
        b"b": {"count": 12, "degree": 6}
    }


def test_zealous_charges_the_collections_k_as_its_raw_filter():
    manifest = _manifest(QUIET)
    promise = _promise(manifest)
    selection = promise.table("queries").selection
    assert selection.at_least == K
    assert selection.K >= K
    assert promise.guarantee.epsilon <= 60
    assert promise.guarantee.delta <= 1e-6
    assert any("is enforced" in text for text in promise.assumptions)
    assert _decided(manifest, _opened("a", 5), _opened("b", 9)) == {b"b": {"count": 9}}


def test_probabilistic_zealous_needs_a_filter_of_its_own_above_the_opening():
    probabilistic = "Zealous(epsilon={}, delta=1e-6, d=2, keep='random', setting='probabilistic', users=1000)"
    # k' = 4: it keeps what 5 share, as the collection does
    promise = _promise(_manifest(probabilistic.format(1), limit=2))
    assert promise.guarantee.kind == "probabilistic DP"
    with pytest.raises(InputError, match="no room"):
        policies_of(_manifest(probabilistic.format(2), limit=2))


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("name", ["DPa", "DPu", "Zealous"])
def test_who_makes_an_artifact_readable_shows_it_with_at_most_delta(name, d):
    """The worst logs: k − 1 others hold each of her artifacts with all they may send; she alone lets them be
    opened.
    """
    epsilon, delta = 2.0, 1e-5
    manifest = _manifest(
        f"{name}(epsilon={epsilon}, delta={delta}, d={d}, keep='random')",
        "users" if name == "Zealous" else "impressions",
        d,
    )
    promise = _promise(manifest)
    selection = promise.table("queries").selection
    noise, K_ = DiscreteLaplace(selection.scale), selection.K
    spread = [(K - 1) * (d if name == "DPa" else 1) + 1] * d  # one unit of hers in each of d artifacts
    heap = [K * d] if name == "DPa" else [K]  # all of hers in one
    for counts in (spread, heap):
        shown = 1 - np.prod([1 - float(noise.tail(K_ - count)) for count in counts])
        assert shown <= promise.guarantee.delta * (1 + 1e-9)
    assert promise.guarantee.epsilon <= epsilon
    assert promise.guarantee.delta <= delta
    lower = 1 - np.prod(
        [
            1 - float(noise.tail(K_ - 1 - count))
            for count in (spread if len(spread) > 1 or name != "DPa" else heap)
        ]
    )
    assert lower > delta / 30  # and the threshold is not far higher than it must be


@pytest.mark.parametrize("name", ["DPa", "DPu"])
def test_fresh_noise_is_on_impressions(name):
    # the counts' noise has scale 1/30: 0 but for a chance of 1e-13
    policy = f"{name}(epsilon=60, delta=1e-6, d=1, keep='random')"
    assert _decided(_manifest(policy, "impressions"), _opened("a", 5), _opened("b", 40)) == {
        b"b": {"count": 40}
    }
    noisy = f"{name}(epsilon=0.5, delta=1e-3, d=1, keep='random')"
    kept = _decided(
        _manifest(noisy, "impressions"),
        *(_opened(str(i), 1000) for i in range(200)),
        randomness=SeededRandomness(1),
    )
    assert len({row["count"] for row in kept.values()}) > 5


def test_noise_of_zealous_is_noise():
    policy = "Zealous(epsilon=0.5, delta=1e-3, d=1, keep='random')"
    kept = _decided(
        _manifest(policy), *(_opened(str(i), 1000) for i in range(200)), randomness=SeededRandomness(1)
    )
    assert len({row["count"] for row in kept.values()}) > 5


@pytest.mark.parametrize(
    ("policy", "options", "why"),
    [
        ("FTu(k=4)", {}, "at least that"),
        ("FTa(k=5)", {}, "counts impressions"),
        ("FTu(k=5, artifact='click')", {}, "the collection has 'query'"),
        ("FTu(k=5, representation='heavy')", {}, "representation='heavy'"),
        ("KA(K=9)", {}, "artifact='click'"),
        ("KAnonymity(k=9)", {}, "counts impressions"),
        ("KAnonymity(k=4)", {"count": "impressions"}, "k of KAnonymity"),
        ("KA(K=3)", {"artifact": "click"}, "at least 4"),
        ("KA(K=9)", {"artifact": "click", "count": "impressions"}, "counts users"),
        (QUIET, {"count": "impressions"}, "counts users"),
        (QUIET, {"limit": 2}, "d=2"),
        ("Zealous(epsilon=60, delta=1e-6, d=1)", {}, "keep='random'"),
        ("DPa(epsilon=1, delta=1e-6, d=1, keep='random')", {}, "counts impressions"),
        ("DPu(epsilon=1, delta=1e-6, d=1)", {"count": "impressions"}, "keep='random'"),
        ("DPu(epsilon=400, delta=1e-6, d=1, keep='random')", {"count": "impressions"}, "smaller ε"),
        ("nothing", {}, "no mechanism"),
    ],
)
def test_a_policy_that_does_not_fit_is_refused(policy, options, why):
    with pytest.raises(InputError, match=why):
        policies_of(_manifest(policy, **options))


FITTING = [name for name in MECHANISMS if find(name).collected_counts]


@pytest.mark.parametrize("name", sorted({*MECHANISMS} - {*FITTING}))
def test_a_mechanism_that_needs_peoples_own_logs_says_why(name):
    known = ", ".join(FITTING)
    with pytest.raises(InputError, match=f"cannot be published with {name}: it .*Use one of {known}"):
        policies_of(_manifest(find(name).example))


def test_counts_of_people_and_of_impressions_can_be_published():
    assert {"DPa", "DPu", "FTa", "FTu", "KA", "KAnonymity", "Nebula", "Zealous"} <= {*FITTING}
    assert all(find(name).opened is not Mechanism.opened for name in FITTING)


def test_the_crowd_log_has_the_columns_of_its_artifact_and_a_whole_label(tmp_path):
    manifest = _manifest("FTu(k=5, artifact='click')", artifact="click")
    opened = [_opened("query\turl", 5), _opened("b\tu", 6), _opened("no second part", 9)]
    release = write_crowd_log(manifest, [opened], tmp_path / "out", SystemRandomness(), joined=9, mixes=MIXES)
    assert release.clicks().to_pylist() == [
        {"query": "b", "url": "u", "count": 6},
        {"query": "query", "url": "url", "count": 5},
    ]
    assert release.label.model.name == "Distributed"
    assert release.label.notes["joined"] == 9
    assert release.label.notes["mix_1"] == (
        "somebody: 40 envelopes in 3 batches, the smallest of 12; 1 rejected, 0 refused"
    )
    assert release.label.warnings
    assert any("invitations" in text for text in release.label.promise.unprotected)


def test_layers_together_add_up_and_keep_apart_what_is_whose():
    clicks = "Zealous(epsilon=30, delta=1e-7, d=1, keep='random', artifact='click')"
    one, two = _promise(_manifest(QUIET)), _promise(_manifest(clicks, artifact="click"))
    both = together([one, two])
    assert together([one]) is one
    assert both.tables == (*one.tables, *two.tables)
    assert both.guarantee.epsilon == pytest.approx(one.guarantee.epsilon + two.guarantee.epsilon)
    assert both.guarantee.delta == pytest.approx(one.guarantee.delta + two.guarantee.delta)
    tables = [step.name.split(":")[0] for step in both.steps]
    assert tables == ["queries"] * len(one.steps) + ["clicks"] * len(two.steps)
    assert (both.settings["queries k"], both.settings["clicks k"]) == (K, K)
    assert both.settings["queries: threshold K"] == one.table("queries").selection.K
    assert both.settings["clicks: threshold K"] == two.table("clicks").selection.K
    assert len(set(both.unprotected)) == len(both.unprotected)


def test_one_layer_without_a_promise_takes_it_from_all():
    promises = [_promise(_manifest(QUIET)), _promise(_manifest("KA(K=9)", artifact="click"))]
    assert promises[0].guarantee.protects
    assert not together(promises).guarantee.protects


def test_the_plan_of_a_layer_counts_what_the_collection_counts():
    for count in ("users", "impressions"):
        (plan,) = _promise(_manifest("FTu(k=5)", count)).tables
        assert plan.counts == count


def test_a_noisy_policy_does_not_tell_how_the_traffic_fell(tmp_path):
    release = write_crowd_log(
        _manifest(QUIET), [[_opened("a", 9)]], tmp_path / "out", SystemRandomness(), joined=9, mixes=MIXES
    )
    assert not {"joined", "mix_1"} & set(release.label.notes)
    assert release.label.promise.guarantee.epsilon <= 60
    assert release.label.promise.proof == "proofs/collections.md"
    assert release.queries().to_pylist() == [{"query": "a", "count": 9}]


def test_the_label_of_a_nested_crowd_log_is_read_by_attacks_and_verify(tmp_path):
    log = make_log(tmp_path, [(str(user), "weather", 10 * user, "http://w") for user in range(9)])
    spellings = ("KAnonymity(k=5)", "FTu(k=5, artifact='click')")
    manifest = manifest_of(
        k=K,
        limit=1,
        count="impressions",
        policy=spellings[0],
        inner_artifact="click",
        inner_k=K,
        inner_slots=1,
        inner_policy=spellings[1],
    )
    opened = [[_opened("weather", 9)], [_opened("weather\thttp://w", 9)]]
    write_crowd_log(manifest, opened, tmp_path / "out", SystemRandomness(), joined=9, mixes=MIXES)
    release = Release.open(tmp_path / "out")
    assert release.label.mechanisms == spellings
    assert [repr(parse(spelling)) for spelling in release.label.mechanisms] == list(spellings)
    names = ["injection", "membership"]
    results = attack(release, log, names, attacker=Attacker(SeededRandomness(1)), other_log=True)
    assert [result.name for result in results] == names
    assert all(result.details["trials"] for result in results)
    answer = CliRunner().invoke(verify, [str(release.path)], catch_exceptions=False)
    assert "is as it was written: 2 tables" in answer.output


@pytest.mark.parametrize("inner", ["FTu(k=5, artifact='click')", "KA(K=4)"])
def test_what_is_inside_a_query_that_is_not_published_is_not_either(tmp_path, inner):
    """Both open at five people; the outer policy asks for twenty, and its words speak of every query."""
    manifest = manifest_of(
        k=K,
        limit=1,
        policy="FTu(k=20)",
        inner_artifact="click",
        inner_k=K,
        inner_slots=1,
        inner_policy=inner,
    )
    opened = [
        [_opened("known", 20), _opened("rare", 19)],
        [_opened("known\tu", 5), _opened("rare\tu", 19)],
    ]
    release = write_crowd_log(manifest, opened, tmp_path / "out", SystemRandomness(), joined=40, mixes=MIXES)
    assert [row["query"] for row in release.queries().to_pylist()] == ["known"]
    assert release.clicks().to_pylist() == [{"query": "known", "url": "u", "count": 5}]
    said = [step.what for step in release.label.promise.steps if step.name == "clicks: Leave out"]
    assert said == ["What is inside a query that is not published is not published either."]
    assert not any(step.name == "queries: Leave out" for step in release.label.promise.steps)


@pytest.mark.parametrize(
    ("kind", "artifact", "table", "columns", "said"),
    [
        (
            "triple",
            "a\tb\tc",
            "triples",
            ("query", "next_query", "third_query"),
            ("triples of queries", "searches in a row of three", "What it searched one after the other"),
        ),
        (
            "query-visit",
            "a\thttp://b.example/",
            "visits",
            ("query", "url"),
            ("visited pages of queries", "pages reached from a query", "Where its searches led"),
        ),
    ],
)
def test_what_is_only_collected_is_published_as_a_table_of_its_own(
    tmp_path, kind, artifact, table, columns, said
):
    manifest = manifest_of(k=K, artifact=kind, limit=9)
    opened = [[_opened(artifact, K + 2), _opened(artifact.replace("a", "x", 1), K)]]
    write_crowd_log(manifest, opened, tmp_path / "log", SystemRandomness(), joined=9, mixes=MIXES)
    rows = Release.open(tmp_path / "log").table(table).to_pylist()
    assert rows[0] == {**dict(zip(columns, artifact.split("\t"), strict=True)), "count": K + 2}
    assert [row["count"] for row in rows] == [K + 2, K]
    assert CliRunner().invoke(verify, [str(tmp_path / "log")]).exit_code == 0
    printed = "".join((tmp_path / "log" / name).read_text() for name in ("label.json", "index.html"))
    assert [text for text in said if text not in printed] == []


def test_a_policy_of_what_is_only_collected_is_spelled_as_for_queries():
    with pytest.raises(InputError, match="the collection has 'query'"):
        policies_of(manifest_of(k=K, artifact="triple", policy=f"FTu(k={K}, artifact='click')"))
    noisy = manifest_of(k=K, artifact="triple", policy=QUIET, limit=1)
    assert _decided(noisy, _opened("a\tb\tc", 90)) == {b"a\tb\tc": {"count": 90}}
