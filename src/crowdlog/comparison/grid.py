"""The grid of a comparison: mechanisms × seeds, measured in the same ways; what each result depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from crowdlog.experiments.result_cache import ResultCache
from crowdlog.experiments.seeded_release import SeededRun
from crowdlog.experiments.source_digest import file_digest
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.category_tree import WORDNET
from crowdlog.utility.registry import MEASURES

# What is known of one trial: its label, then what it is good for, then what it gives away.
# (kind, name), for example ("attack", "linkage").
Measurement = tuple[str, str]
LABEL: Measurement = ("label", "label")
TOPICS: Measurement = ("topics", "topics")
# Beside the mechanisms: what the log itself, unprotected, is worth on people it does not hold.
LOG_ITSELF = SeededRun("the log itself, on held-out people", 0)
# Attacks that go by a tree of categories, or by labels of sensitive queries.
BY_INTERESTS = ("category_linkage", "category_exposure", "homogeneity")


@dataclass(frozen=True)
class Grid:
    """What is to be compared.

    A result is kept under a name made of all it depends on, so a second run finds it.
    """

    store: str
    source: str  # the store's id
    cache: str
    mechanisms: tuple[str, ...]
    seeds: int
    utility: tuple[str, ...]
    attacks: tuple[str, ...]
    topics: str | None = None  # a file of lines query TAB topic
    topics_hash: str = ""
    tree: str = WORDNET  # of measures and attacks by interests: 'wordnet' or a file
    labels: str | None = None  # a file of lines query TAB topic TAB sensitive
    interests_hash: str = ""  # a digest of both files
    code: str = ""  # a digest of the source
    inputs: Mapping[str, list[str]] = field(default_factory=dict)  # of each mechanism: digests of its files

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Grid:
        """The grid that was written as JSON."""
        lists: dict[str, Any] = {name: tuple(value) for name, value in fields.items() if type(value) is list}
        return cls(**{**fields, **lists})

    def runs(self) -> list[SeededRun]:
        """Seed by seed, so that a stopped run has seen every mechanism once before any twice."""
        seeds = range(1, self.seeds + 1)
        first = [LOG_ITSELF] if self.tasks() else []
        return [*first, *(SeededRun(mechanism, seed) for seed in seeds for mechanism in self.mechanisms)]

    def tasks(self) -> list[Measurement]:
        """What is tried on people whom the release was not made of."""
        return [("utility", name) for name in self.utility if MEASURES[name].task]

    def measures(self, run: SeededRun | None = None) -> list[Measurement]:
        """What is to be known of a run: of the log itself, only how well the tasks can be done."""
        if run == LOG_ITSELF:
            return self.tasks()
        return [
            LABEL,
            *(("utility", name) for name in self.utility),
            *(("attack", name) for name in self.attacks),
            *([TOPICS] if self.topics else []),
        ]

    @property
    def results(self) -> ResultCache:
        return ResultCache(Path(self.cache), self.code)

    def key(self, run: SeededRun, measure: Measurement) -> list[Any]:
        """What the result of one measure of one trial depends on, beside the code."""
        inputs = [*self.inputs.get(run.mechanism, []), self.topics_hash if measure == TOPICS else ""]
        interests = self.interests_hash if _by_interests(measure) else ""
        return [self.source, run.mechanism, run.seed, *measure, *inputs, interests]

    def missing(self, run: SeededRun) -> list[Measurement]:
        return [measure for measure in self.measures(run) if self.kept(run, measure) is None]

    def keep(self, run: SeededRun, measure: Measurement, found: Mapping[str, Any]) -> None:
        self.results.keep(self.key(run, measure), asdict(run) | {"measure": list(measure), **found})

    def kept(self, run: SeededRun, measure: Measurement) -> dict[str, Any] | None:
        """A result, or None where there is none."""
        found = self.results.kept(self.key(run, measure))
        return found if isinstance(found, dict) else None


def _by_interests(measure: Measurement) -> bool:
    kind, name = measure
    return name in BY_INTERESTS if kind == "attack" else kind == "utility" and MEASURES[name].tree


def input_digests(spelling: str) -> list[str]:
    """A digest of each file that a mechanism reads: its pool, its public results, its topics."""
    texts = [Path(value) for value in vars(parse(spelling)).values() if isinstance(value, str)]
    return [file_digest(path) for path in texts if path.is_file()]
