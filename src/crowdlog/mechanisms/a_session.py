"""A_Session: sequences of queries that many people ask within a session, and what is clicked (Zhang 2017,
chapters 4 and 5.2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from crowdlog.artifacts.kinds import Artifact, Sequences
from crowdlog.artifacts.public_lists import PUBLIC_TOPICS, read_features
from crowdlog.errors import InputError
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import BOUND, THRESHOLD, TOPICS, Role, parameter, weight
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION, SAMPLER_SHARE
from crowdlog.plan.bounds import Counts, FirstOccurrences, SessionCut
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.published import a_session, session_sensitivity
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.thresholds import smallest_threshold
from crowdlog.release.promise import Promise, Setting, promise_of

SESSIONS, QUERIES = Role("bound", small=2, moderate=2), Role("bound", small=2, moderate=3)
LOOSE = (
    "The paper's δ lets each of Δ sequences have Δ counts at once; "
    "the exact worst case is used, so a smaller K is enough for the same δ."
)
SHARED_K = (
    "The paper gives both parts the same b and K; here each part has those of its own share of ε and δ."
)
NEXT_PAGE = "A query asked again at once is the next page of its results and no new query of the session."


@dataclass(frozen=True, repr=False)
class ASession(Mechanism):
    """Count every subsequence of the first sessions of each user, show those whose noisy count is high;
    clicks likewise.
    """

    title: ClassVar[str] = "Sequences of queries within sessions, and clicks, with noisy counts"
    example: ClassVar[str] = "ASession(epsilon=2.3, delta=1e-6)"
    source: ClassVar[str] = "Zhang 2017, chapters 4 and 5.2 (A_Session)"
    formula: ClassVar[str] = (
        "show S if C(S) + DL(Δ/ε₁) > K, Δ = l_s·(2^l_q − 1 − l_q); publish C(S) + Z′; clicks too"
    )
    whole_log: ClassVar[str] = "it publishes sequences of whole sessions"

    epsilon: float = shared.epsilon()
    delta: float = shared.delta()
    l_s: int = parameter(
        "how many sessions are kept of each user: her first ones of at least two queries",
        default=1,
        least=1,
        most=1000,
        role=SESSIONS,
    )
    l_q: int = parameter(
        "how many queries are kept of each session: the first ones", default=3, least=2, most=12, role=QUERIES
    )
    l: int = parameter(  # noqa: E741 - the paper's letter
        "how many clicks are kept of each user: her first ones", default=1, least=1, role=BOUND
    )
    K: int | None = parameter(
        "threshold of the noisy count of a sequence; the smallest that keeps the promise if left out",
        default=None,
        least=1,
        role=THRESHOLD,
    )
    K_clicks: int | None = parameter(
        "threshold of a click's noisy count; the smallest that keeps the promise if left out",
        default=None,
        least=1,
        role=THRESHOLD,
    )
    # T_gap, Zhang §4.2.1.1
    session_minutes: int = parameter("a longer pause ends a session", default=30, unit="minutes", least=1)
    weight_sessions: float = parameter(
        "share of ε for sequences, relative to the other weight",
        default=3.0,
        above=0,
        role=weight("sessions"),
    )
    weight_clicks: float = parameter(
        "share of ε for clicks; 0 publishes no clicks", default=1.0, least=0, role=weight("clicks")
    )
    people: bool = parameter(
        "count people instead of occurrences: K is lower where ε is large, never higher", default=False
    )
    features: str | None = parameter(
        "a file of lines query TAB topic: sessions of topics instead of queries; others are left out",
        default=None,
        role=TOPICS,
    )
    clean: bool = shared.clean()
    representation: str = shared.representation()

    def check_inputs(self) -> None:
        if self.features is not None:
            read_features(self.features, self.representation)

    @property
    def sensitivity(self) -> int:
        """Δ: how many counts of sequences one user can add."""
        return session_sensitivity(self.l_s, self.l_q)

    def _part(
        self, artifact: Artifact | Sequences, bound: SessionCut | FirstOccurrences, weight: float, K: str
    ) -> TablePlan:
        """Half of the part's ε chooses its keys, half counts them."""
        half = self.epsilon * (weight / (self.weight_sessions + self.weight_clicks)) / 2 * ROOM_BELOW
        share = self.delta * SAMPLER_SHARE / (2 if self.weight_clicks else 1)
        smallest = smallest_threshold(half, share, bound.d, distinct=self.people)
        wanted = getattr(self, K) or smallest.K
        if wanted < smallest.K:
            raise InputError(
                f"The '{K}' parameter of ASession must be at least {smallest.K} for this ε and δ. "
                f"Got {wanted}."
            )
        selection = NoisyThreshold.of(replace(smallest, K=wanted))
        counts: Counts = "users" if self.people else "impressions"
        return TablePlan(
            artifact, counts, bound, selection, DiscreteLaplace(bound.d / half), clean=self.clean
        )

    def promise(self) -> Promise:
        sequences = Sequences(self.representation, self.session_minutes, self.features)
        cut = SessionCut(self.l_s, self.l_q, self.sensitivity)
        tables = [self._part(sequences, cut, self.weight_sessions, "K")]
        if self.weight_clicks:
            clicks = Artifact("click", self.representation)
            tables.append(self._part(clicks, FirstOccurrences(self.l), self.weight_clicks, "K_clicks"))
        published: dict[str, Setting] = {}
        for plan in tables:
            if isinstance(plan.selection, NoisyThreshold):
                epsilon, delta = a_session(plan.selection.scale, plan.selection.K, plan.selection.d)
                published |= {
                    f"{plan.name}: ε at this K and b": epsilon,
                    f"{plan.name}: δ at this K and b": delta,
                }
        return promise_of(
            tables,
            numbers={"sensitivity": self.sensitivity, "minutes that end a session": self.session_minutes},
            assumptions=(HONEST_USERS, *((PUBLIC_TOPICS,) if self.features else ())),
            errata=(LOOSE, *((SHARED_K,) if self.weight_clicks else ()), NEXT_PAGE),
            unprotected=(INJECTION,),
            proof="proofs/a-session.md",
            as_published=published,
        )
