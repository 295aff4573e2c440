"""The synthetic log means something: topics, refinements, typos, interests."""

from collections import defaultdict

import pytest

from crowdlog.log.synth.run import SynthReport


@pytest.fixture(scope="module")
def users_of(log: SynthReport) -> dict[str, set[str]]:
    users: dict[str, set[str]] = defaultdict(set)
    with log.path.open(encoding="ascii") as lines:
        next(lines)
        for line in lines:
            user, query, *_rest = line.split("\t")
            users[query].add(user)
    return users


@pytest.fixture(scope="module")
def labels(log: SynthReport) -> dict[str, tuple[str, str]]:
    lines = log.path.with_name("labels.tsv").read_text(encoding="ascii").splitlines()
    assert lines[0] == "query\ttopic\tsensitive"
    rows = [line.split("\t") for line in lines[1:]]
    return {query: (topic, sensitive) for query, topic, sensitive in rows}


def test_a_head_query_is_refined_behind_and_before(users_of: dict[str, set[str]]):
    around = [query for query in users_of if "tiger woods" in query]
    assert len(users_of["tiger woods"]) > 5
    assert sum(query.startswith("tiger woods ") for query in around) > 20
    assert sum(query.endswith(" tiger woods") for query in around) > 3
    assert sum(len(users_of[query]) == 1 for query in around) > len(around) / 2


def test_fears_are_ranked(users_of: dict[str, set[str]]):
    fears = {query: len(users) for query, users in users_of.items() if query.startswith("fear of ")}
    assert len(fears) > 100
    assert max(fears, key=fears.__getitem__) == "fear of flying"


def test_every_query_is_labelled_once(
    users_of: dict[str, set[str]], labels: dict[str, tuple[str, str]], log: SynthReport
):
    assert labels.keys() == users_of.keys()
    assert len(labels) == log.distinct
    assert labels["diabetes"] == ("health/diabetes", "1")
    assert labels["tiger woods"] == ("sport/golf", "0")
    assert labels["google"] == ("web/sites", "0")


def test_users_return_to_their_own_topics(log: SynthReport, labels: dict[str, tuple[str, str]]):
    """The commonest sub-topic of a busy user has far more of her queries than the commonest of all has of
    everybody's.
    """
    topics: dict[str, list[str]] = defaultdict(list)
    with log.path.open(encoding="ascii") as lines:
        next(lines)
        for line in lines:
            user, query, *_rest = line.split("\t")
            topic = labels[query][0]
            if "/" in topic and not topic.startswith(("web", "people")):
                topics[user].append(topic)

    def top_share(found: list[str]) -> float:
        return max(found.count(topic) for topic in set(found)) / len(found)

    busy = [top_share(found) for found in topics.values() if 60 < len(found) < 300]
    everybody = top_share([topic for found in list(topics.values())[:2_000] for topic in found])
    assert len(busy) > 100
    assert sum(busy) / len(busy) > 3 * everybody


def test_misspelt_queries_exist(users_of: dict[str, set[str]]):
    assert any(
        query in users_of
        for query in ("googel", "gogole", "goolge", "gogle", "goggle", "gooogle", "yaho", "yhaoo", "yahho")
    )
