"""The client alone, against services in this process: joining after a lost answer, limits, sending each
report at its own moment and once, striking out, leaving for good.
"""

import shutil
import stat
import time

import pytest

from crowdlog.cli import crowd_sending
from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client import participate
from crowdlog.crowd.client.client_store import ClientStore
from crowdlog.crowd.client.participate import UploadWindow
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.http import Unreachable
from crowdlog.crowd.manifest import digest_of
from crowdlog.crowd.services.pool_file import _name
from crowdlog.crowd.slots import Submission
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.randomness import SystemRandomness
from tests.crowd.services.members import RANDOM, Direct, SmallCrowd


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path / "services", count="users", more={"limit": 6}) as small:
        yield small


@pytest.fixture
def covered(tmp_path):
    with SmallCrowd(tmp_path / "services", count="users", more={"limit": 6, "cover": True}) as small:
        yield small


@pytest.fixture
def home(tmp_path):
    with ClientStore(tmp_path / "home") as opened:
        yield opened


def _link(crowd: SmallCrowd) -> participate.Link:
    return participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])


def _chosen(crowd: SmallCrowd, texts: list[str]):
    return sample_artifacts(crowd.manifest, [MinedArtifact((text,), 1) for text in texts], RANDOM).chosen


def _member_with_outbox(crowd: SmallCrowd, home: ClientStore, texts: list[str]):
    membership = participate.join(home, _link(crowd), crowd.manifest, crowd.connect, RANDOM)
    home.consent(membership.id)
    participate.prepare(home, home.membership(None), _chosen(crowd, texts), Direct(crowd.randomness), RANDOM)
    return home.membership(None)


class Lost(Direct):
    """The service acts, but its answer is lost."""

    def call(self, method, path, body=None):
        super().call(method, path, body)
        raise Unreachable("lost")


def test_a_lost_answer_to_joining_is_asked_for_again(crowd, home):
    link = _link(crowd)
    for host in ("aggregation", "randomness", "mix1"):

        def losing(url: str, host: str = host) -> Direct:
            found = crowd.connect(url)
            return Lost(found.client) if host in url else found

        with pytest.raises(Unreachable):
            participate.join(home, link, crowd.manifest, losing, RANDOM)
    membership = participate.join(home, link, crowd.manifest, crowd.connect, RANDOM)
    assert membership.credentials
    assert membership.pending is None
    # joining twice is fine
    assert participate.join(home, link, crowd.manifest, crowd.connect, RANDOM) == membership
    assert crowd.status()["joined"] == 1


def test_a_server_that_describes_another_collection_is_not_joined(crowd):
    other = crowd.create(title="another")
    lying = Direct(crowd.client)
    lying.call = lambda _method, _path, _body=None: {"phase": "mining", "manifest": other.to_json()}
    with pytest.raises(PrivacyRefusal, match="another collection"):
        participate.look(_link(crowd), lying)
    assert participate.look(_link(crowd), Direct(crowd.client)) == crowd.manifest


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("policy", "Zealous(epsilon=0.1, delta=1e-6, d=1, keep='random')"),
        ("title", "Something nicer"),
        ("upload_seconds", 1),
        ("cover", True),
        ("smallest_crowd", 500),
    ],
)
def test_no_term_can_be_shown_otherwise_under_the_same_id(crowd, name, value):
    """A8: the whole manifest is in the id."""
    lying = Direct(crowd.client)
    shown = {**crowd.manifest.to_json(), name: value}
    lying.call = lambda _method, _path, _body=None: {"phase": "mining", "manifest": shown}
    with pytest.raises(PrivacyRefusal, match="not those the collection's id was made from"):
        participate.look(_link(crowd), lying)


@pytest.mark.parametrize(("name", "value"), [("k", 6), ("k", 5), ("limit", 7)])
def test_nobody_can_lower_k_or_raise_the_limit_under_the_same_id(tmp_path, name, value):
    with SmallCrowd(tmp_path, k=7, more={"limit": 6}) as crowd:
        shown = crowd.manifest.to_json()
        assert shown["collection"][name] != value
        shown["collection"][name] = value
        if name == "k":  # with words and a digest that fit
            told = shown["consent"]
            told["published"] = told["published"].replace("at least 7", f"at least {value}")
            described = {key: term for key, term in shown.items() if key != "collection"}
            shown["collection"]["terms"] = digest_of(described).hex()
        lying = Direct(crowd.client)
        lying.call = lambda _method, _path, _body=None: {"phase": "mining", "manifest": shown}
        with pytest.raises(PrivacyRefusal, match="another collection than the link names"):
            participate.look(_link(crowd), lying)


def test_parties_answer_for_themselves(crowd):
    assert participate.check_parties(crowd.manifest, crowd.connect) == crowd.server.listed()["head"]
    for host, path, answer in (
        ("mix2", "/identity", {"owner": "mix people 2", "signing": "00" * 32}),
        ("mix1", "/identity", {"owner": "somebody else", "signing": crowd.manifest.mixes[0].signing}),
        ("randomness", crowd.at, {"signature": "00" * 64}),
        ("aggregation", crowd.at, {"signature": ""}),
        ("randomness", "/collections", {"collections": [], "head": ""}),
    ):

        def lying(url: str, host: str = host, path: str = path, answer: dict = answer) -> Direct:
            found = crowd.connect(url)
            honest = found.call
            if host in url:
                found.call = lambda method, asked, body=None: (
                    answer if asked == path else honest(method, asked, body)
                )
            return found

        with pytest.raises(PrivacyRefusal, match="do not join"):
            participate.check_parties(crowd.manifest, lying)


def test_nothing_is_prepared_without_consent(crowd, home):
    membership = participate.join(home, _link(crowd), crowd.manifest, crowd.connect, RANDOM)
    with pytest.raises(PrivacyRefusal):
        participate.prepare(home, membership, [], Direct(crowd.randomness), RANDOM)


def test_at_most_the_limit_is_chosen_and_what_is_too_long_is_counted(crowd):
    found = [MinedArtifact((f"query {number}",), 1) for number in range(80)] + [
        MinedArtifact(("x" * 500,), 1),
        MinedArtifact(("a\tb",), 1),
    ]
    choice = sample_artifacts(crowd.manifest, found, SystemRandomness())
    assert len({item.readable for item in choice.chosen}) == crowd.manifest.limit == 6
    assert (choice.too_long, choice.over_limit) == (2, 74)


def test_a_preparation_cut_short_goes_on_with_the_same_values(crowd, home):
    membership = participate.join(home, _link(crowd), crowd.manifest, crowd.connect, RANDOM)
    home.consent(membership.id)
    membership = home.membership(None)
    with pytest.raises(Unreachable):
        participate.prepare(home, membership, _chosen(crowd, ["a", "b"]), Lost(crowd.randomness), RANDOM)
    assert home.preparing(membership.id)
    # other artifacts now: every slot is good for one value, so the first choice is kept
    participate.prepare(home, membership, _chosen(crowd, ["c"]), Direct(crowd.randomness), RANDOM)
    assert sorted(item.readable for item in home.outbox(membership.id)) == ["a", "b"]
    assert home.membership(None).prepared
    assert home.preparing(membership.id) is None


def test_cover_makes_everybody_send_as_many(covered, home):
    membership = _member_with_outbox(covered, home, ["a", "b"])
    items = home.outbox(membership.id)
    assert len(items) == covered.manifest.limit == 6
    assert sorted(item.readable for item in items if item.readable) == ["a", "b"]
    assert len({len(item.submission) for item in items}) == 1
    assert sorted(Submission.parse(item.submission).slot for item in items) == list(range(6))
    with covered.server._database.transaction() as t:
        assert t.rows("SELECT COUNT(*) FROM randomness_slots") == [(6,)]
    assert all(0 <= item.due < 1 for item in items)
    assert len({item.due for item in items}) == 6


def test_which_number_an_artifact_gets_is_drawn(covered):
    """Of twelve people with the same two artifacts: one slot for all has a chance of 6 to the power −11."""
    own = [covered.prepared(covered.member(), {"a": 1, "b": 1}) for _ in range(12)]
    for text in "ab":
        items = [next(item for item in one if item.readable == text) for one in own]
        assert len({Submission.parse(item.submission).slot for item in items}) > 1


def test_the_number_at_the_door_says_nothing_of_the_number_inside(covered):
    """The first mix sees one, the aggregation server the other. In six slots of twelve people they would all
    be equal with a chance of 720 to the power −12, if they are drawn apart.
    """
    drawn = {
        tuple(Submission.parse(item.submission).slot for item in sorted(own, key=lambda one: one.slot))
        for own in (covered.prepared(covered.member(), {"a": 1, "b": 1}) for _ in range(12))
    }
    assert all(sorted(doors) == list(range(6)) for doors in drawn)
    assert len(drawn) > 1


def test_cover_reports_are_counted_and_open_nothing(covered):
    people = [covered.member() for _ in range(5)]
    sent = [covered.envelopes(person, {"shared": 1}) for person in people]
    covered.open_uploads()
    for envelopes in sent:
        assert covered.send(envelopes).json()["accepted"] == 6
    assert covered.status()["stored"] == 30
    assert covered.published() == [{"query": "shared", "count": 5}]


def test_striking_out_is_not_seen(covered, home):
    membership = _member_with_outbox(covered, home, ["keep", "canary"])
    before = home.outbox(membership.id)
    canary = next(item for item in before if item.readable == "canary")
    assert participate.strike_out(home, membership, [canary.number], RANDOM) == 1
    after = home.outbox(membership.id)
    assert [(item.number, item.slot, len(item.submission)) for item in after] == [
        (item.number, item.slot, len(item.submission)) for item in before
    ]
    assert [item.readable for item in after if item.readable] == ["keep"]
    with pytest.raises(InputError, match="no report number"):
        participate.strike_out(home, membership, [canary.number], RANDOM)
    covered.open_uploads()
    taken = covered.mixes[0].take(covered.manifest.id, [item.submission for item in after])
    assert taken["accepted"] == 6


def test_sending_is_refused_while_guesses_could_be_evaluated(crowd, home):
    _member_with_outbox(crowd, home, ["a"])
    assert participate.upload_window(crowd.manifest, Direct(crowd.mix)) is None
    # a mix that lies about it has no certificate
    lying = Direct(crowd.mix)
    lying.call = lambda *_arguments: {"state": "open", "destroyed": 5, "certificate": "00" * 64}
    with pytest.raises(PrivacyRefusal, match="outbox is kept"):
        participate.upload_window(crowd.manifest, lying)
    crowd.open_uploads()
    window = participate.upload_window(crowd.manifest, Direct(crowd.mix))
    assert window.ends - window.opens == crowd.manifest.upload_seconds


def test_each_report_leaves_at_its_own_moment_and_once(crowd, home):
    membership = _member_with_outbox(crowd, home, ["canary one", "canary two", "three"])
    crowd.open_uploads()
    window = UploadWindow(1000, 2000)
    items = sorted(home.outbox(membership.id), key=lambda item: item.due)
    moments = [window.time_of(item.due) for item in items]
    mix = Direct(crowd.mix)
    assert participate.send_due(home, membership, window, mix, moments[0] - 1).taken == 0
    with pytest.raises(Unreachable):
        participate.send_due(home, membership, window, Lost(crowd.mix), moments[0])
    assert len(home.outbox(membership.id)) == 3  # not acknowledged: kept
    assert participate.send_due(home, membership, window, mix, moments[0]).taken == 1
    assert crowd.mixes[0].counts(crowd.manifest.id)["accepted"] == 1  # came twice, counts once
    assert participate.send_due(home, membership, window, mix, 2000).taken == 2
    assert home.membership(None).sent == 3
    assert home.outbox(membership.id) == []
    assert participate.seconds_to_next(home, membership, window) is None
    assert home.membership(None).credentials is None  # nothing is left that could recognise her reports


@pytest.mark.parametrize(("length", "left"), [(360, 36), (86_400, 600)])
def test_no_report_is_drawn_for_the_end_of_the_window(length, left):
    """A report that leaves in the last second comes too late wherever a machine is busy."""
    window = UploadWindow(1000, 1000 + length)
    assert window.time_of(0) == 1000
    assert window.time_of(0.999999) <= window.ends - left
    assert window.time_of(0.999999) > window.ends - left - 1


def test_what_the_mix_will_not_take_is_not_sent(crowd, home, tmp_path):
    """A copy of her folder sends a report; here she strikes it out, and the mix refuses its cover."""
    membership = _member_with_outbox(crowd, home, ["one", "two"])
    crowd.open_uploads()
    first, second = home.outbox(membership.id)
    shutil.copytree(home.folder, tmp_path / "copy")
    with ClientStore(tmp_path / "copy") as copy:
        assert participate.send_one(copy, membership, first, Direct(crowd.mix)) == participate.Sent(taken=1)
    assert participate.strike_out(home, membership, [first.number], RANDOM) == 1
    refused = participate.send_one(home, membership, first, Direct(crowd.mix))
    assert refused == participate.Sent(taken=0, refused=1)
    assert home.membership(None).sent == 0
    assert [item.number for item in home.outbox(membership.id)] == [second.number]
    assert participate.send_one(home, membership, second, Direct(crowd.mix)) == participate.Sent(taken=1)
    assert home.membership(None).sent == 1


@pytest.mark.parametrize("place", ["slot", "name", "proof", "envelope", "end", "all"])
def test_a_report_that_rotted_holds_back_no_other(crowd, home, place):
    """The door would refuse it each time it came, and the others would wait behind it."""
    membership = _member_with_outbox(crowd, home, ["one", "two"])
    crowd.open_uploads()
    first = home.outbox(membership.id)[0]
    whole = first.submission
    at = {"slot": 3, "name": 10, "proof": 100, "envelope": 400, "end": len(whole) - 1, "all": 0}[place]
    rotted = whole[:3] if place == "all" else whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    with home._transaction() as t:
        t.execute("UPDATE outbox SET submission = ? WHERE number = ?", (rotted, first.number))
    with pytest.raises(InputError, match=f"number {first.number} is damaged"):
        participate.strike_out(home, membership, [first.number], RANDOM)
    window = UploadWindow(0, 100)
    now = window.ends + 10 * participate.LATE_SECONDS  # of what is late one leaves at a time
    sent = [participate.send_due(home, membership, window, Direct(crowd.mix), now) for _ in range(2)]
    assert sum(sent, participate.Sent()) == participate.Sent(taken=1, damaged=1)
    assert home.damaged(membership.id) == [first.number]
    assert home.outbox(membership.id) == []
    assert home.membership(None).sent == 1
    assert crowd.mixes[0].counts(crowd.manifest.id)["turned_away"] == 0
    assert home.leave(membership.id) == 1
    assert home.damaged(membership.id) == []


def test_what_may_have_left_is_not_struck_out(crowd, home):
    """Its answer was lost: whether the mix has it she cannot know, and is not told that it has not."""
    membership = _member_with_outbox(crowd, home, ["one", "two"])
    crowd.open_uploads()
    first, second = home.outbox(membership.id)
    with pytest.raises(Unreachable):
        participate.send_one(home, membership, first, Lost(crowd.mix))
    assert participate.strike_out(home, membership, [first.number, second.number], RANDOM) == 1
    assert [item.readable for item in home.outbox(membership.id)] == [first.readable, ""]
    for item in (first, second):
        assert participate.send_one(home, membership, item, Direct(crowd.mix)) == participate.Sent(taken=1)
    assert home.membership(None).sent == 2


@pytest.mark.parametrize(
    "answer", [{}, {"accepted": 0, "duplicates": 0, "rejected": 0}, {"accepted": 2}, {"accepted": "1"}]
)
def test_an_answer_that_names_no_outcome_keeps_the_report(crowd, home, answer):
    membership = _member_with_outbox(crowd, home, ["one"])
    (item,) = home.outbox(membership.id)
    strange = Direct(crowd.mix)
    strange.url, strange.call = "http://mix.invalid", lambda *_call: answer
    with pytest.raises(InputError, match="does not answer as a service of crowdlog"):
        participate.send_one(home, membership, item, strange)
    assert home.outbox(membership.id) == [item]
    assert home.membership(None).sent == 0


def test_overdue_reports_are_spread_again(crowd, home):
    membership = _member_with_outbox(crowd, home, ["a", "b", "c", "d"])
    now = time.time()
    window = UploadWindow(int(now) - 500_000, int(now) + 100_000)
    participate.spread_overdue(home, membership, window, RANDOM, now)
    moments = [window.time_of(item.due) for item in home.outbox(membership.id)]
    assert all(now - 1 <= moment < window.ends for moment in moments)
    assert len(set(moments)) == 4
    assert participate.seconds_to_next(home, membership, window) > 0


def test_a_sender_that_was_away_does_not_let_everything_go_at_once(crowd, home):
    membership = _member_with_outbox(crowd, home, ["a", "b", "c", "d"])
    crowd.open_uploads()
    window, mix = UploadWindow(0, 1000), Direct(crowd.mix)
    away = 1000 + participate.LATE_SECONDS
    assert [participate.send_due(home, membership, window, mix, away + look).taken for look in range(5)] == [
        1,
        1,
        1,
        1,
        0,
    ]


def test_what_is_a_little_late_keeps_its_moment(crowd, home):
    membership = _member_with_outbox(crowd, home, ["a", "b", "c"])
    window = UploadWindow(0, 100_000)
    moments = {item.number: window.time_of(item.due) for item in home.outbox(membership.id)}
    now = max(moments.values()) + 10
    participate.spread_overdue(home, membership, window, RANDOM, now, 20)
    kept = {
        item.number
        for item in home.outbox(membership.id)
        if abs(window.time_of(item.due) - moments[item.number]) < 1e-3
    }
    assert kept == {number for number, moment in moments.items() if moment >= now - 20}


def test_the_list_must_have_grown_from_what_was_seen_before(crowd, home):
    head = participate.check_parties(crowd.manifest, crowd.connect)
    participate.join(home, _link(crowd), crowd.manifest, crowd.connect, RANDOM)
    home.keep_receipt(crowd.manifest.id, participate.receipt(head, 5))
    assert participate.heads_seen(home, crowd.manifest) == [head]
    other = crowd.create(title="another")
    assert participate.check_parties(other, crowd.connect, [head]) == crowd.server.listed()["head"]
    with pytest.raises(PrivacyRefusal, match="saw before"):
        participate.check_parties(other, crowd.connect, ["00" * 31 + "01"])


class Meanwhile(Direct):
    """The mix; while the first report is on its way something else happens."""

    def __init__(self, client, happens) -> None:
        super().__init__(client)
        self.happens, self.posted = happens, 0

    def call(self, method, path, body=None):
        if method == "POST":
            self.posted += 1
            if self.posted == 1:
                self.happens()
        return super().call(method, path, body)


@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_gone_while_others_are_sent_does_not_leave(covered, home, at_once, monkeypatch):
    """She leaves, in another window, while the first of six reports is on its way."""
    membership = _member_with_outbox(covered, home, ["canary one", "canary two"])
    covered.open_uploads()
    moment = time.time() - 1
    monkeypatch.setattr(participate.UploadWindow, "time_of", lambda _self, _due: moment)

    def leaves() -> None:
        with ClientStore(home.folder) as other:
            assert other.leave(membership.id) == 6

    mix = Meanwhile(covered.mix, leaves)
    sent = crowd_sending._send_all(home, membership, mix, at_once, False)
    assert (sent.taken, mix.posted) == (1, 1)
    assert covered.mixes[0].counts(membership.id)["accepted"] == 1


def test_what_is_struck_out_while_others_are_sent_leaves_empty(covered, home):
    """Of what is on its way already she is told that it may have left."""
    membership = _member_with_outbox(covered, home, ["one", "two"])
    covered.open_uploads()
    items = home.outbox(membership.id)
    hers = [item for item in items if item.readable]
    struck = []

    def strikes() -> None:
        with ClientStore(home.folder) as other:
            numbers = [item.number for item in hers]
            struck.append(participate.strike_out(other, membership, numbers, RANDOM))

    mix = Meanwhile(covered.mix, strikes)
    for item in sorted(items, key=lambda item: item.readable == ""):  # hers first, as read before
        assert participate.send_one(home, membership, item, mix) == participate.Sent(1)
    assert struck == [1]
    assert home.outbox(membership.id) == []
    arrived = covered.mixes[0]._batches._pools[membership.id].names()
    outer = [Submission.parse(item.submission).envelope for item in hers]
    held = [_name(open_layer(covered.mixes[0]._key, envelope)) for envelope in outer]
    assert [name in arrived for name in held] == [True, False]


def test_two_senders_count_a_report_once(covered, home):
    membership = _member_with_outbox(covered, home, ["one"])
    covered.open_uploads()
    item = home.outbox(membership.id)[0]

    def other_sends() -> None:
        with ClientStore(home.folder) as other:
            participate.send_one(other, membership, item, Direct(covered.mix))

    participate.send_one(home, membership, item, Meanwhile(covered.mix, other_sends))
    assert home.membership(None).sent == 1


def test_leaving_deletes_what_was_not_sent_and_is_remembered(crowd, home):
    membership = _member_with_outbox(crowd, home, ["canary one", "canary two"])
    assert home.leave(membership.id) == 2
    with pytest.raises(InputError, match="no such collection"):
        home.membership(None)
    assert [m.left for m in home.memberships()] == [True]
    assert home.memberships()[0].credentials is None


@pytest.mark.parametrize("end", ["strike out", "send", "leave"])
def test_what_is_gone_stands_in_no_file_while_the_client_runs(covered, home, end):
    """The database, its write-ahead log and its index, read byte by byte; two of them stay open."""
    membership = _member_with_outbox(covered, home, ["canary of hers", "kept"])
    canary = next(item for item in home.outbox(membership.id) if item.readable == "canary of hers")
    traces = [b"canary of hers", canary.submission[:64], canary.submission[-64:]]

    def found() -> list[bool]:
        raw = b"".join(path.read_bytes() for path in home.folder.iterdir())
        return [trace in raw for trace in traces]

    assert found() == [True] * 3
    with ClientStore(home.folder):  # a second one, as a sender that waits
        if end == "strike out":
            participate.strike_out(home, membership, [canary.number], RANDOM)
        elif end == "send":
            covered.open_uploads()
            participate.send_one(home, membership, canary, Direct(covered.mix))
        else:
            home.leave(membership.id)
        assert found() == [False] * 3
    kept = b"".join(path.read_bytes() for path in home.folder.iterdir())
    assert (b"kept" in kept) == (end != "leave")


class Leaving(Direct):
    """The service; when its answer comes she has left, in another window."""

    def __init__(self, client, home, collection_id) -> None:
        super().__init__(client)
        self.home, self.collection_id = home, collection_id

    def call(self, method, path, body=None):
        answer = super().call(method, path, body)
        with ClientStore(self.home.folder) as other:
            other.leave(self.collection_id)
        return answer


def test_who_leaves_while_reports_are_made_leaves_nothing_behind(crowd, home):
    membership = participate.join(home, _link(crowd), crowd.manifest, crowd.connect, RANDOM)
    home.consent(membership.id)
    leaving = Leaving(crowd.randomness, home, membership.id)
    with pytest.raises(InputError, match="You have left"):
        participate.prepare(home, home.membership(None), _chosen(crowd, ["canary"]), leaving, RANDOM)
    assert home.outbox(membership.id) == []
    assert not home.memberships()[0].prepared


def test_who_leaves_while_she_joins_has_no_credentials(crowd, home):
    def connect(url: str) -> Direct:
        found = crowd.connect(url)
        return Leaving(found.client, home, crowd.manifest.id) if "mix1" in url else found

    with pytest.raises(InputError, match="no such collection"):
        participate.join(home, _link(crowd), crowd.manifest, connect, RANDOM)
    assert [(one.left, one.credentials) for one in home.memberships()] == [(True, None)]


def test_two_windows_that_prepare_at_once_fill_the_outbox_once(crowd, home):
    membership = participate.join(home, _link(crowd), crowd.manifest, crowd.connect, RANDOM)
    home.consent(membership.id)
    chosen, happened = _chosen(crowd, ["one", "two"]), []

    def prepares() -> None:
        if not happened:
            happened.append(True)
            with ClientStore(home.folder) as other:
                server = Direct(crowd.randomness)
                participate.prepare(other, other.membership(None), chosen, server, RANDOM)

    slow = Meanwhile(crowd.randomness, prepares)
    with pytest.raises(InputError, match="another"):
        participate.prepare(home, home.membership(None), chosen, slow, RANDOM)
    assert sorted(item.readable for item in home.outbox(membership.id)) == ["one", "two"]


def test_who_took_part_to_the_end_keeps_her_record(crowd, home):
    """Her link is used, and another would make two people of her."""
    link, another = _link(crowd), _link(crowd)
    membership = participate.join(home, link, crowd.manifest, crowd.connect, RANDOM)
    home.keep_receipt(membership.id, participate.receipt("00" * 32, 1_700_000_000))
    home.consent(membership.id)
    chosen = _chosen(crowd, ["one"])
    participate.prepare(home, home.membership(None), chosen, Direct(crowd.randomness), RANDOM)
    crowd.open_uploads()
    for item in home.outbox(membership.id):
        participate.send_one(home, membership, item, Direct(crowd.mix))
    before = home.membership(None)
    for again in (link, another):
        with pytest.raises(InputError, match="taken part in this collection already"):
            participate.join(home, again, crowd.manifest, crowd.connect, RANDOM)
    assert home.membership(None) == before
    assert (before.sent, participate.agreement(before)[1]) == (1, "00" * 32)


def test_the_home_is_its_owners_and_survives_a_restart(crowd, tmp_path):
    with ClientStore(tmp_path / "home") as first:
        _member_with_outbox(crowd, first, ["a", "b"])
        before = first.outbox(crowd.manifest.id)
    with ClientStore(tmp_path / "home") as second:
        assert second.outbox(crowd.manifest.id) == before
    assert stat.S_IMODE((tmp_path / "home" / "crowd.sqlite").stat().st_mode) == 0o600


def test_a_home_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--home"):
        ClientStore(tmp_path / "file" / "home")


@pytest.mark.parametrize("damage", ["pages", "cut", "terms"])
def test_a_damaged_file_is_said(crowd, tmp_path, damage):
    place = tmp_path / "home" / "crowd.sqlite"
    with ClientStore(place.parent) as own:
        _member_with_outbox(crowd, own, ["a", "b"])
        if damage == "terms":
            with own._transaction() as t:
                t.execute("UPDATE memberships SET manifest = '{'")
    whole = place.read_bytes()
    if damage != "terms":
        place.write_bytes(whole[:4096] + b"Z" * (len(whole) - 4096) if damage == "pages" else whole[:5000])
    with pytest.raises(InputError, match="is damaged"), ClientStore(place.parent) as own:
        own.membership(None)


@pytest.mark.parametrize(
    ("change", "read"),
    [
        (f"{table} SET {column} = {value}", read)
        for table, columns, read in [
            (
                "memberships",
                ["receipt", "url", "invitation", "pending", "credentials", "sent", "manifest"],
                lambda own: own.memberships(),
            ),
            ("outbox", ["due", "slot", "submission", "readable"], lambda own: own.outbox(own.manifest)),
            ("outbox", ["due", "submission"], lambda own: own.begin_sending(own.manifest, 1)),
            ("preparations", ["chosen"], lambda own: own.preparing(own.manifest)),
            ("preparations", ["chosen", "seed"], lambda own: own.begin_preparing(own.manifest, b"", [])),
        ]
        for column in columns
        for value in (["x'ff'"] if column in ("receipt", "url", "invitation", "readable") else ["'soon'"])
    ]
    + [
        ("preparations SET chosen = '[{}]'", lambda own: own.preparing(own.manifest)),
        ("outbox SET due = 9e999", lambda own: own.outbox(own.manifest)),
        *[
            (f"memberships SET receipt = '{text}'", lambda own: participate.agreement(own.membership(None)))
            for text in ("agreed soon, list 00", "agreed 99999999999999, list 00", "agreed ²", "x")
        ],
        (
            "memberships SET credentials = zeroblob(5)",
            lambda own: participate._credentials(own.membership(None)),
        ),
    ],
)
def test_rows_that_were_edited_by_hand_are_said(crowd, home, change, read):
    membership = _member_with_outbox(crowd, home, ["a", "b"])
    home.begin_preparing(membership.id, RANDOM.bytes(32), _chosen(crowd, ["a"]))
    home.manifest = membership.id
    with home._transaction() as t:
        t.execute(f"UPDATE {change}")
    with pytest.raises(InputError):
        read(home)
