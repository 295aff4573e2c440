"""The check of a release of histories accepts ours, and notices what is wrong with a spoilt one."""

from __future__ import annotations

import pyarrow as pa
import pytest

from crowdlog.measure.cluster_owners import clusters_of
from crowdlog.measure.log_arrays import Impressions
from crowdlog.measure.records import read_records
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.verify_clusters import verify_clusters
from tests.support.logs import make_log

SPELLING = "Mdav(k=3, distance='equality')"


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    rows = []
    for user in range(14):
        topic = "golf clubs" if user % 2 else "flu symptoms"
        rows += [(f"u{user}", topic, 1000 * user + i, None) for i in range(4)]
        rows += [(f"u{user}", f"secret{user}n{i} {topic}", 1000 * user + 100 + i, None) for i in range(3)]
        rows += [(f"u{user}", f"secret{user} golf", 1000 * user + 500, "http://x.com")]
    return make_log(tmp_path_factory.mktemp("clusters"), rows)


@pytest.fixture(scope="module")
def events(log):
    return parse(SPELLING).protect(log, SeededRandomness(1)).tables["events"]


def verdict(log, events):
    mechanism = parse(SPELLING)
    return verify_clusters(log, events, mechanism.k, mechanism.rule)


def test_a_release_of_ours_holds(log, events):
    found = verdict(log, events)
    assert found.holds
    assert found.records == 14
    assert 3 <= found.smallest <= 14


def test_no_text_of_one_person_is_shown_unless_the_papers_rule_is_asked_for(log, events):
    assert not any("secret" in text for text in events["query"].to_pylist())
    paper = parse(SPELLING.replace(")", ", word_users=1, names='allow')"))
    shown = paper.protect(log, SeededRandomness(1)).tables["events"]
    assert any("secret" in text for text in shown["query"].to_pylist())
    assert verdict(log, shown).rare > 0


def test_a_record_of_its_own_a_missing_row_and_a_strange_text_are_noticed(log, events):
    changed = events.set_column(2, "time", pa.array([0, *events["time"].to_pylist()[1:]]))
    assert verdict(log, changed).lonely > 0
    assert verdict(log, events.slice(1)).lonely > 0
    strange = events.set_column(1, "query", pa.array(["never typed", *events["query"].to_pylist()[1:]]))
    assert verdict(log, strange).unknown == 1
    twice = pa.concat_tables([events, events.set_column(0, "user", pa.compute.add(events["user"], 100))])
    assert verdict(log, twice).too_many == 14


def faults(log, events, notes=None):
    mechanism = parse(SPELLING)
    return verify_clusters(log, events, mechanism.k, mechanism.rule, notes).faults()


def members_of(events):
    """The pseudonyms of each cluster."""
    found = {}
    for row in events.to_pylist():
        found.setdefault(row["cluster"], set()).add(row["user"])
    return found


def without(events, users):
    return events.filter(pa.compute.invert(pa.compute.is_in(events["user"], pa.array(sorted(users)))))


def test_a_missing_record_is_noticed_by_the_label(log):
    made = parse(SPELLING).protect(log, SeededRandomness(1))
    events, notes = made.tables["events"], made.notes
    assert faults(log, events, notes) == {}
    cluster = next(iter(members_of(events).values()))
    found = faults(log, without(events, cluster), notes)
    assert found == {"users have no record, and the label does not call it empty": len(cluster)}


def test_fewer_than_k_users_without_a_record_are_noticed_without_the_label(log, events):
    one = next(iter(members_of(events).values())).pop()
    assert faults(log, without(events, {one}))["users have no record, which are fewer than k"] == 1


def test_clusters_are_numbered_from_one_and_by_their_first_pseudonym(events):
    found = members_of(events)
    assert sorted(found) == list(range(1, 1 + len(found)))
    assert sorted(found, key=lambda cluster: min(found[cluster])) == sorted(found)
    assert all(3 <= len(users) <= 5 for users in found.values())


def test_a_cluster_of_2k_users_is_noticed_in_the_rows(log, events):
    place = events.column_names.index("cluster")
    merged = events.set_column(place, "cluster", pa.array([1] * len(events)))
    found = faults(log, merged)
    assert found["clusters have more than 2k − 1 users"] == 1
    assert found["clusters have different records"] == 1


def test_a_user_of_two_clusters_is_noticed(log, events):
    place = events.column_names.index("cluster")
    clusters = events["cluster"].to_pylist()
    clusters[0] = 1 + max(clusters)
    assert "records have fewer than k equals" in faults(log, events.set_column(place, "cluster", [clusters]))


def test_a_site_of_too_few_people_is_noticed(log, events):
    place = events.column_names.index("url")
    shown = faults(log, events.set_column(place, "url", pa.array(["x.com"] * len(events))))
    assert "sites were clicked by too few people" not in shown
    other = faults(log, events.set_column(place, "url", pa.array(["rare.example"] * len(events))))
    assert other["sites were clicked by too few people"] == 1


def test_every_record_is_known_to_be_of_a_user_of_its_cluster(log, events):
    truth = Impressions(log)
    cluster = clusters_of([SPELLING], truth)
    owner = read_records(events, truth, cluster).owner
    assert sorted(owner.tolist()) == list(range(14))
    records = {}
    for row in events.to_pylist():
        records.setdefault(row.pop("user"), []).append(tuple(row.values()))
    shown = {}
    for user, record in zip(owner.tolist(), records.values(), strict=True):
        shown.setdefault(int(cluster[user]), set()).add(tuple(record))
    assert all(len(copies) == 1 for copies in shown.values())
    assert clusters_of(["Pseudonyms()"], truth) is None
