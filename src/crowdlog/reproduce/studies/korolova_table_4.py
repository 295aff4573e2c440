"""Table 4: the most common fears, in the log and in its release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crowdlog.measure.released import read_tables
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.counts_once import tables_by_seed
from crowdlog.reproduce.studies.korolova_release import PAPER, release
from crowdlog.reproduce.study import Claim, Panel, Result, Study
from crowdlog.types import Ints
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.patterns import TOP, completions

PREFIX = "fear of"
D = 21  # gives the paper's K = 147.4 and b = 9.1
SETUP = (
    f'What people write after "{PREFIX}", ranked by how often, in the log and in a release of its queries '
    f"with the paper's ε = ln 10, δ = 1e-5 and d = {D}. The paper also lists a survey's fears, which no log "
    "can give. The fears of a synthetic log are those of its generator."
)


def run(bench: Bench) -> Result:
    found = bench.with_every_noise(["fears", D], lambda seeds: _ranked(bench, seeds))
    rows = [
        [
            place + 1,
            *(names[place] if place < len(names) else None for names in (found["log"], found["release"])),
        ]
        for place in range(TOP)
    ]
    panel = Panel(f'The first {TOP} after "{PREFIX}"', ["rank", "the log", "the release"], rows)
    return Result([panel], claims(found["log"], found["release"], found["asked"]), SETUP)


def _ranked(bench: Bench, seeds: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The first completions of the log and of each release. The log is synthetic: its texts may be shown."""
    truth = bench.truth(bench.log)
    texts = truth.vocabulary.queries.all()
    whole = truth.table("queries")
    first = completions(whole, texts, PREFIX)[:TOP]
    asked = int(whole.count[whole.key == first[0]].sum()) if len(first) else 0
    own = _fears(first, texts)
    released = {}
    for seed, tables in zip(seeds, tables_by_seed(release(D), bench.log, seeds), strict=True):
        names: list[str] = []
        if tables["queries"].num_rows:
            minutes = MeasureSettings().session_minutes
            shown = read_tables(tables, truth.vocabulary, minutes).queries
            if shown is not None:
                names = _fears(completions(shown, texts, PREFIX), texts)
        released[seed] = {"log": own, "release": names, "asked": asked}
    return released


def _fears(ranked: Ints, texts: Any) -> list[str]:
    return [str(texts[int(query)])[len(PREFIX) + 1 :] for query in ranked[:TOP]]


def claims(own: Sequence[str], released: Sequence[str], asked: int) -> list[Claim]:
    few = (
        f"{len(set(own) & set(released))} of {len(own)} are released; the most frequent was asked {asked} "
        "times in the whole log, and a query needs about 130"
    )
    return [
        Claim(
            "The set of the top nine fears is the same in the log and in the release.",
            bool(own) and set(own) == set(released),
            few,
        ),
        Claim(
            "Their order is not fully preserved, because of the noise.",
            len(released) > 1 and list(released) != [fear for fear in own if fear in released],
            few if len(released) < 2 else f"the order of those released is preserved; {few}",
        ),
    ]


STUDY = Study("korolova-table-4", f"{PAPER}, Table 4", "The most common fears", run)
