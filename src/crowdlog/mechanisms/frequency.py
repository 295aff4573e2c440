"""FT_a and FT_u: publish what occurs often enough (Feild 2013, §3.4.1.1). No noise, no formal guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from crowdlog.artifacts.kinds import ARTIFACTS, Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.engine.count import histogram
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.mining import open_mine
from crowdlog.mechanisms.parameters import parameter
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

ARTIFACT_HELP = "what is counted: " + "; ".join(f"{name}: {what}" for name, what in ARTIFACTS.items())
REPRESENTATION_HELP = (
    "how queries are written before they are counted: original, light (no www., .com, punctuation), heavy (also no stop words, stemmed, sorted), "
    "spelling (light, typing errors mended) or template (also cities left open: bars in ⟨city⟩)"
)

# Known attacks on exact counts, with where they are described.
WEAKNESSES = (
    "Exact counts of several releases can be combined to infer what none of them shows (Feild 2013, §3.4.2.1, examples 2 and 3).",
    "Somebody who adds fake users can lift a private query over the bar (Korolova 2009, §8).",
    "Whether one person is in the log can change what is published.",
)


@dataclass(frozen=True, repr=False)
class _FT(Mechanism):
    """What FT_a and FT_u share: they differ in what is compared with k."""

    source: ClassVar[str] = "Feild 2013, §3.4.1.1"
    by_users: ClassVar[bool]

    k: int = parameter("how many impressions (FTa) or different users (FTu) an artifact needs", least=1)
    artifact: str = parameter(ARTIFACT_HELP, default="query", choices=tuple(ARTIFACTS))
    representation: str = parameter(REPRESENTATION_HELP, default="original", choices=REPRESENTATIONS)

    def promise(self) -> Promise:
        what = "different users" if self.by_users else "impressions"
        step = Step("Frequency threshold", f"Publish every {self.artifact} with at least {self.k} {what}, with its exact number of impressions.")
        alone = () if self.by_users else ("One person who repeats a query k times publishes it alone.",)
        return Promise(NO_GUARANTEE, (step,), {"k": self.k}, unprotected=(*alone, *WEAKNESSES), proof="proofs/frequency.md")

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        kind = Artifact(self.artifact, self.representation)
        with open_mine(log, self.representation) as mine:
            counts = histogram(mine.artifacts(kind), users=self.by_users)
            kept = (counts.users if self.by_users else counts.impressions) >= self.k
            return Protected({kind.table: mine.table(kind, counts.key[kept], counts.impressions[kept])})


@dataclass(frozen=True, repr=False)
class FTa(_FT):
    """Publish an artifact with at least k impressions."""

    title: ClassVar[str] = "Artifacts with at least k impressions, with exact counts"
    by_users: ClassVar[bool] = False


@dataclass(frozen=True, repr=False)
class FTu(_FT):
    """Publish an artifact that at least k different users have, with its impressions."""

    title: ClassVar[str] = "Artifacts of at least k different users, with exact counts"
    by_users: ClassVar[bool] = True


@dataclass(frozen=True, repr=False)
class KA(Mechanism):
    """Publish (query, url, number of users) where that number is above K (Zhang 2017, §4.4.1)."""

    title: ClassVar[str] = "Clicks of more than K different users, with the number of users"
    source: ClassVar[str] = "Zhang 2017, §4.4.1"

    K: int = parameter("a click is published when more than this many different users made it", least=0)

    def promise(self) -> Promise:
        step = Step("User threshold", f"Publish every click of more than {self.K} different users, with the number of users.")
        return Promise(NO_GUARANTEE, (step,), {"K": self.K}, counts="users", unprotected=WEAKNESSES, proof="proofs/frequency.md")

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        kind = Artifact("click")
        with open_mine(log) as mine:
            counts = histogram(mine.artifacts(kind), users=True)
            kept = counts.users > self.K
            return Protected({"clicks": mine.table(kind, counts.key[kept], counts.users[kept])})
