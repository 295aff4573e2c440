"""ClosedDomain: every entry of a public list with a noisy count (proofs/closed-domain.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.public_lists import PUBLIC_POOL, read_pool
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import BOUND, POOL, parameter
from crowdlog.mechanisms.shared import HONEST_USERS
from crowdlog.plan.bounds import FirstOccurrences, RandomOccurrences
from crowdlog.plan.candidates import Pool
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.release.promise import Promise, promise_of

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

NO_OVERLAP = "No query of this log is in the list: the release would hold nothing but noise."


@dataclass(frozen=True, repr=False)
class ClosedDomain(Mechanism):
    """Publish the noisy number of every entry of a public list, and nothing that is not in it.

    Nothing is chosen by the data, so no δ is needed. Made for feature vectors, of which there are few.
    """

    title: ClassVar[str] = "All entries of a public list, with noisy counts and no δ"
    example: ClassVar[str] = "ClosedDomain(epsilon=1, d=20, pool='ngrams')"
    source: ClassVar[str] = "Dwork, McSherry, Nissim, Smith 2006: histogram over a public domain"
    formula: ClassVar[str] = "publish x(a) + DL(d/ε) for every a of the list"
    whole_log: ClassVar[str] = "it gives noise to every entry of a list, whether anybody has it or not"

    epsilon: float = shared.epsilon()
    d: int = parameter("how many artifacts are kept of each user", least=1, role=BOUND)
    pool: str = parameter(
        "a file with one public query (or feature vector) a line; or 'ngrams': frequent English words and "
        "word pairs",
        role=POOL,
    )
    keep: str = shared.keep()
    representation: str = shared.representation()

    def check_inputs(self) -> None:
        read_pool(self.pool, self.representation)

    def advice(self, log: LogStore) -> tuple[str, ...]:
        with self.open(log) as source:
            inside = source.places(read_pool(self.pool, self.representation))
        return (NO_OVERLAP,) if inside.max(initial=-1) < 0 else ()

    def promise(self) -> Promise:
        size = len(read_pool(self.pool, self.representation))
        table = TablePlan(
            Artifact("query", self.representation),
            "impressions",
            FirstOccurrences(self.d) if self.keep == "first" else RandomOccurrences(self.d),
            None,
            DiscreteLaplace(self.d / (self.epsilon * ROOM_BELOW)),
            Pool(self.pool, size),
            clean=False,
        )
        return promise_of(
            [table],
            numbers={"list size": size},
            assumptions=(HONEST_USERS, PUBLIC_POOL),
            proof="proofs/closed-domain.md",
        )
