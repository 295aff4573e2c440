"""What an owner is told to expect, each with what a synthetic log of that size gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.planning.expected_rows import expectation
from crowdlog.privacy.randomness import SeededRandomness
from tests.release.errors.bench import Bench

PEOPLE = 300
INVENTED = "words: invented rows, on average, at most"


def synthetic(folder: Path) -> LogStore:
    """A synthetic log of another seed than the table of expectations."""
    synthesize(folder / "synthetic.tsv", users=PEOPLE, seed=2)
    return import_log(folder / "synthetic.tsv", folder / "synthetic")


def rows_of(spelling: str, folder: Path) -> dict[str, int]:
    tables = parse(spelling).protect(synthetic(folder), SeededRandomness(1)).tables
    return {name: table.num_rows for name, table in tables.items()}


def empty(spelling: str) -> Callable[[Bench], str]:
    def case(bench: Bench) -> str:
        told = expectation(parse(spelling), PEOPLE)
        assert told is not None
        assert told[1]
        assert sum(rows_of(spelling, bench.folder).values()) == 0
        return told[0]

    return case


def about(spelling: str, table: str, word: str) -> Callable[[Bench], str]:
    """So many rows, up to a factor of three: logs differ, and one digit is told."""

    def case(bench: Bench) -> str:
        told = expectation(parse(spelling), PEOPLE)
        assert told is not None
        assert not told[1]
        (said,) = re.findall(rf"([\d,]+) {word}\b", told[0])
        shown, expected = rows_of(spelling, bench.folder)[table], int(said.replace(",", ""))
        assert expected / 3 <= shown <= 3 * expected, (shown, told[0])
        return told[0]

    return case


def many_tables(bench: Bench) -> str:
    """Tables whose names a stranger would not understand are told in words."""
    ladder = parse("Ladder(epsilon=4, delta=1e-6, people=30000)")
    told = expectation(ladder, 30_000)
    assert told is not None
    assert {"query_sites", "word_sites"} <= {plan.name for plan in ladder.plan}
    assert "_" not in told[0]
    return told[0]


def only_noise(spelling: str) -> Callable[[Bench], str]:
    """No more rows than noise invents on average, by the figure of the label: the mean of eight noises."""

    def case(bench: Bench) -> str:
        told = expectation(parse(spelling), PEOPLE)
        assert told is not None
        assert told[1]
        log = synthetic(bench.folder)
        made = [parse(spelling).protect(log, SeededRandomness(seed)) for seed in range(8)]
        rows = [sum(table.num_rows for table in each.tables.values()) for each in made]
        assert 0 < sum(rows) / len(rows) <= 1.5 * float(made[0].notes[INVENTED])
        return told[0]

    return case


NOISE_ALONE = only_noise("Ladder(epsilon=0.1, delta=1e-6, people=300)")
QUERIES = about("FTu(k=2)", "queries", "queries")
NO_QUERY = empty("FTu(k=100)")
NO_WORD = empty("FTu(k=150, artifact='word')")
WORDS = about("Ladder(epsilon=8, delta=1e-3, people=300)", "words", "words")
OF_EXPECTED_ROWS = {
    "sites clicked for a query": many_tables,
    "sites clicked for a word": many_tables,
    "a query needs about {} of them to be shown": QUERIES,
    "what is shown needs about {} of them": NO_WORD,
    "in synthetic logs of this size none has so many.": NO_WORD,
    "With about {} people expect": QUERIES,
    "{} about {}, as synthetic logs share them: {}.": QUERIES,
    "{} an empty release: {}, and {}": NO_WORD,
    "{} about {}, as synthetic logs share them.": WORDS,
    "{} an empty release: {}, and in synthetic logs": NO_QUERY,
    "in synthetic logs of this size too few share a word": NOISE_ALONE,
    "{} nothing that people share, at most some rows": NOISE_ALONE,
}
