"""A_Session: sequences of queries that many people ask within a session, and what is clicked (Zhang 2017, chapters 4 and 5.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.engine import bound
from crowdlog.engine.count import histogram
from crowdlog.engine.subsequences import Naming, Subsequences, count_subsequences, cut_sessions
from crowdlog.errors import InputError
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.counting import HONEST_USERS, INJECTION, Ints, laplace_sd
from crowdlog.mechanisms.edges import Edges
from crowdlog.mechanisms.frequency import REPRESENTATION_HELP
from crowdlog.mechanisms.mining import Mine, open_mine
from crowdlog.mechanisms.parameters import parameter
from crowdlog.mechanisms.pools import positions, read_features
from crowdlog.privacy.accounting import for_ledger
from crowdlog.privacy.guarantee import compose
from crowdlog.privacy.published import a_session, session_sensitivity
from crowdlog.privacy.thresholds import smallest_threshold
from crowdlog.release.promise import Promise, Protected, Setting, Step

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

PUBLIC_TOPICS = "The file of topics was made without this log: the topic of a query depends on its text alone."
LOOSE = "The paper's δ lets each of Δ sequences have Δ counts at once; the exact worst case is used, so K is smaller for the same δ."
SHARED_K = "The paper gives both parts the same b and K; here each part has those of its own share of ε and δ."
NEXT_PAGE = "A query asked again at once is the next page of its results and no new query of the session."


@dataclass(frozen=True, repr=False)
class ASession(Mechanism):
    """Count every subsequence of the first sessions of each user, show those whose noisy count is high; clicks likewise."""

    title: ClassVar[str] = "Sequences of queries within sessions, and clicks, with noisy counts"
    source: ClassVar[str] = "Zhang 2017, chapters 4 and 5.2 (A_Session)"

    epsilon: float = parameter("privacy loss of one user, both parts together", above=0)
    delta: float = parameter("probability that the promise may fail", above=0, below=1)
    l_s: int = parameter("how many sessions are kept of each user: her first ones of at least two queries", default=1, least=1, most=1000)
    l_q: int = parameter("how many queries are kept of each session: the first ones", default=3, least=2, most=12)
    l: int = parameter("how many clicks are kept of each user: her first ones", default=1, least=1)  # noqa: E741 - the paper's letter
    K: int | None = parameter("threshold of the noisy count of a sequence; the smallest that keeps the promise if left out", default=None, least=1)
    K_clicks: int | None = parameter("threshold of a click's noisy count; the smallest that keeps the promise if left out", default=None, least=1)
    session_minutes: int = parameter("a longer pause ends a session", default=30, unit="minutes", least=1)  # T_gap, Zhang §4.2.1.1
    weight_sessions: float = parameter("share of ε for sequences, relative to the other weight", default=3.0, above=0)
    weight_clicks: float = parameter("share of ε for clicks; 0 publishes no clicks", default=1.0, least=0)
    people: bool = parameter("count people instead of occurrences: K is lower where ε is large, never higher", default=False)
    features: str | None = parameter("a file of lines query TAB topic: sessions of topics instead of queries; others are left out", default=None)
    clean: bool = parameter("set negative counts to 0: costs no privacy", default=True)
    representation: str = parameter(REPRESENTATION_HELP, default="original", choices=REPRESENTATIONS)

    def check_inputs(self) -> None:
        if self.features is not None:
            read_features(self.features, self.representation)

    @property
    def sensitivity(self) -> int:
        """Δ: how many counts of sequences one user can add."""
        return session_sensitivity(self.l_s, self.l_q)

    @property
    def d(self) -> int:
        """The most that one user adds to one table."""
        return max(self.sensitivity, self.l)

    def _part(self, weight: float, d: int, K: str) -> Edges:
        """Half of the part's ε chooses its keys, half counts them. A thousandth of δ pays for the sampler's distance from ideal noise."""
        half = self.epsilon * (weight / (self.weight_sessions + self.weight_clicks)) / 2 * (1 - 1e-12)
        smallest = smallest_threshold(half, self.delta * 0.999 / (2 if self.weight_clicks else 1), d, distinct=self.people)
        wanted = getattr(self, K) or smallest.K
        if wanted < smallest.K:
            raise InputError(f"The '{K}' parameter of ASession must be at least {smallest.K} for this ε and δ. Got {wanted}.")
        return Edges(d, replace(smallest, K=wanted), d / half)

    def sessions_part(self) -> Edges:
        return self._part(self.weight_sessions, self.sensitivity, "K")

    def clicks_part(self) -> Edges | None:
        return self._part(self.weight_clicks, self.l, "K_clicks") if self.weight_clicks else None

    def promise(self) -> Promise:
        parts = {"sessions": self.sessions_part(), "clicks": self.clicks_part()}
        named = {"sessions": "sequences", "clicks": "clicked URLs with their query"}
        limits = f"Keep the first {self.l_q} queries of each user's first {self.l_s} sessions of two queries or more, and her first {self.l} clicks."
        steps = [Step("Bound", f"{limits} A pause above {self.session_minutes} minutes ends a session.")]
        settings: dict[str, Setting] = {"sensitivity": self.sensitivity}
        published: dict[str, Setting] = {}
        guarantees, prefixes = [], {"sessions": "", "clicks": "clicks "}
        for which, part in parts.items():
            if part is not None and part.threshold is not None:
                guarantees += part.guarantees()
                steps += part.steps(which, named[which])
                settings |= _settings(prefixes[which], part)
                epsilon, delta = a_session(part.threshold.scale, part.threshold.K, part.d)
                published |= {f"{which}: ε at this K and b": epsilon, f"{which}: δ at this K and b": delta}
        return Promise(
            compose(guarantees),
            tuple(steps),
            settings,
            assumptions=(HONEST_USERS, *((PUBLIC_TOPICS,) if self.features else ())),
            errata=(LOOSE, SHARED_K, NEXT_PAGE),
            unprotected=(INJECTION,),
            counts="users" if self.people else "impressions",
            accounting=for_ledger(step for part in parts.values() if part for step in part.accounting()),
            proof="proofs/a-session.md",
            as_published=published,
        )

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        sessions, clicks = self.sessions_part(), self.clicks_part()
        with open_mine(log, self.representation) as mine:
            naming, topics = self._naming(mine)
            rows = cut_sessions(log, self.session_minutes, self.l_s, self.l_q, naming)
            found = count_subsequences(rows, len(topics) if topics else _names(mine), people=self.people)
            shown, counts = sessions.publish(found.count, randomness, clean=self.clean)
            tables = {"sessions": _table(mine, topics, found, shown, counts)}
            notes = {"count noise sd": laplace_sd(sessions.scale)}
            if clicks is not None:
                artifact = Artifact("click", self.representation)
                clicked = histogram(bound.first(mine.artifacts(artifact), clicks.d), users=self.people)
                shown, counts = clicks.publish(clicked.users if self.people else clicked.impressions, randomness, clean=self.clean)
                tables["clicks"] = mine.table(artifact, clicked.key[shown], counts)
                notes["clicks noise sd"] = laplace_sd(clicks.scale)
        return Protected(tables, notes)

    def _naming(self, mine: Mine) -> tuple[Naming, list[str]]:
        """How queries of the log become numbers of queries in the representation, or of topics; and the topics."""
        query = None
        if mine.renaming is not None:
            query = np.zeros(mine.renaming.ids.num_rows, np.int64)
            query[mine.renaming.ids["query"].to_numpy()] = mine.renaming.ids["new"].to_numpy()
        if self.features is None:
            return Naming(query), []
        texts, topic, topics = read_features(self.features, self.representation)
        return Naming(query, np.append(topic, -1)[positions(mine, texts)]), topics  # place −1 is the last one: no topic


def _settings(prefix: str, part: Edges) -> dict[str, Setting]:
    chosen: dict[str, Setting] = {} if part.threshold is None else {f"{prefix}K": part.threshold.K, f"{prefix}b": part.threshold.scale}
    return chosen | {f"{prefix or 'count '}noise scale": part.scale}


def _names(mine: Mine) -> int:
    """How many different queries there are in the representation."""
    return mine.engine.log.info.queries if mine.renaming is None else len(mine.renaming.texts)


def _table(mine: Mine, topics: list[str], found: Subsequences, shown: Ints, counts: Ints) -> pa.Table:
    """The shown sequences as lists of texts, most frequent first, ties by text."""
    import pyarrow as pa

    members = found.members(shown)
    used = sorted({number for sequence in members for number in sequence})
    texts: list[Any] = [topics[number] for number in used] if topics else mine.query_texts(np.array(used, np.int64)).to_pylist()
    text = dict(zip(used, texts, strict=True))
    rows = sorted((-count, [text[number] for number in sequence]) for sequence, count in zip(members, counts.tolist(), strict=True))
    return pa.table({"sequence": pa.array([row[1] for row in rows], pa.list_(pa.string())), "count": pa.array([-row[0] for row in rows], pa.int64())})
