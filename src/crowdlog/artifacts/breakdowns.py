"""How the searches of a person divide over a public list of values: their lengths, hours, topics; how many
she has; which part of them is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from crowdlog.artifacts.topics import topic_names
from crowdlog.errors import InputError

LENGTHS = (*(str(words) for words in range(1, 10)), "10+")
HOURS = tuple(f"{hour:02}" for hour in range(24))
BINS = 16  # of numbers of searches: powers of two
ACTIVITY = ("1", *(f"{2**n}-{2 ** (n + 1) - 1}" for n in range(1, BINS - 1)), f"{2 ** (BINS - 1)}+")
CAP = 256  # searches of one person that count where all are summed up
# Of a person's searches: shares, each a sum of its own; the last is her number of searches, in parts of CAP.
SHARES = (
    "searches: released",
    "searches: released words only",
    "searches: clicked",
    "searches: clicked on a released site",
    f"searches, {CAP} at most, in parts of {CAP}",
)
# Released queries by how many people they have: the first ten, the next ninety, the rest. Of each: searches,
# of a person so many at most, in parts of this number; each row a sum of its own. Few repeat rare queries
# often.
BANDS = (10, 100)
REPEAT_CAPS = (256, 128, 64)
REPEATS = (f"1-{BANDS[0]}", f"{BANDS[0] + 1}-{BANDS[1]}", f"{BANDS[1] + 1}+")
# Kind: the table of a release that holds it, and the columns of its texts.
BREAKDOWNS = {
    "length": ("lengths", ("words",)),
    "hour": ("hours", ("hour",)),
    "activity": ("activity", ("searches",)),
    "share": ("shares", ("share",)),
    "repeat": ("repeats", ("queries",)),
    "topic": ("topics", ("topic",)),
    "topic-hour": ("topic_hours", ("topic", "hour")),
}
BREAKDOWN_TABLES = {table: kind for kind, (table, _columns) in BREAKDOWNS.items()}


@dataclass(frozen=True)
class Breakdown:
    """A table with a row for each of some public values, whatever anybody did."""

    kind: str
    representation: str = "original"
    topics: str | None = None  # where topics come from

    def __post_init__(self) -> None:
        if self.kind not in BREAKDOWNS:
            raise InputError(f"There is no breakdown '{self.kind}'. There are: {', '.join(BREAKDOWNS)}.")

    @property
    def table(self) -> str:
        return BREAKDOWNS[self.kind][0]

    @property
    def columns(self) -> tuple[str, ...]:
        return BREAKDOWNS[self.kind][1]

    @property
    def values(self) -> tuple[tuple[str, ...], ...]:
        """The texts of each row, in order."""
        named = {"length": LENGTHS, "hour": HOURS, "activity": ACTIVITY, "share": SHARES, "repeat": REPEATS}
        if self.kind in named:
            return tuple((text,) for text in named[self.kind])
        if self.topics is None:
            raise TypeError("a breakdown by topics needs a list of topics")
        topics = topic_names(self.topics, self.representation)
        return tuple(product(topics, HOURS)) if self.kind == "topic-hour" else tuple((t,) for t in topics)

    @property
    def vectors(self) -> int:
        """Of how many vectors of length 1 a person adds her part to the rows."""
        return {"share": len(SHARES), "repeat": len(REPEATS)}.get(self.kind, 1)
