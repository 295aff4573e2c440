"""What releases are good for, per search of people who are not in them: words completed from two letters,
queries from three, clicked sites ranked. `python -m benchmarks.ladder_tasks --users 5000 20000 --runs 5`

Four people in five are released (Ladder, and Crowd in the same run), the fifth is tested. Beside them: the
whole log of the four, public lists alone, and a log that `crowdlog synthesize` sampled from the ladder's
tables. Scores are reciprocal ranks: of a word at 5, of a query and of a site at 10; unanswered is 0. Sites
are ranked by two rules: a search that is a known site's name is answered by that site; and a search in which
such a name stands (`named site`).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.ladder import DELTA
from crowdlog.artifacts.kinds import TABLES, Artifact
from crowdlog.artifacts.public_lists import WORD_LIST, public_words
from crowdlog.engine.count import histogram
from crowdlog.engine.log_source import open_log
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms.crowd import Crowd
from crowdlog.mechanisms.ladder import Ladder
from crowdlog.release.folder import Release
from crowdlog.release.synthesize import synthesize_from

TESTED = 5  # of so many people one is tested
SEARCHES = 40_000  # tested at most
LETTERS_OF_WORD, LETTERS_OF_QUERY = 2, 3
DEEP_WORD, DEEP = 5, 10
NAME, NAMES = 4, 3  # letters of a name that counts inside a search; sites named so, at most
MADE = 20_000  # users of the sampled log

Counts = Counter[Any]


@dataclass(frozen=True)
class Known:
    """Counts by table; a key is a text, or a tuple of texts."""

    counts: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counter))
    behind: tuple[str, ...] = ()  # words of a public list, offered after all others

    @cached_property
    def by_letters(self) -> dict[str, list[str]]:
        words = [word for word, _n in self.counts["words"].most_common()]
        return _by_start(dict.fromkeys((*words, *self.behind)), LETTERS_OF_WORD)

    @cached_property
    def followers(self) -> dict[str, list[str]]:
        return _grouped(self.counts["word_pairs"])

    @cached_property
    def by_start(self) -> dict[str, list[str]]:
        queries = [query for query, _n in self.counts["queries"].most_common()]
        return _by_start(queries, LETTERS_OF_QUERY)

    @cached_property
    def sites_of_query(self) -> dict[str, list[str]]:
        return _grouped(self.counts["query_sites"])

    @cached_property
    def sites_of_word(self) -> dict[str, list[tuple[str, float]]]:
        found = defaultdict(list)
        for (word, site), count in self.counts["word_sites"].most_common():
            found[word].append((site, count))
        return found

    @cached_property
    def any_site(self) -> list[str]:
        return [site for site, _n in self.counts["sites"].most_common(DEEP)]

    @cached_property
    def named(self) -> dict[str, list[str]]:
        """Known sites by what people type who ask for them: the whole name, or its part before the dot."""
        found = defaultdict(list)
        for site, _n in self.counts["sites"].most_common():
            found[site].append(site)
            found[site.partition(".")[0]].append(site)
        return found

    @cached_property
    def called(self) -> dict[str, list[str]]:
        """Known sites by what they are called."""
        found = defaultdict(list)
        for site, _n in self.counts["sites"].most_common():
            found[called(site)].append(site)
        return found

    def word(self, before: str | None, start: str) -> list[str]:
        """Words that begin so: those that follow the word before, then any."""
        near = [word for word in self.followers.get(before or "", []) if word.startswith(start)]
        return _first(DEEP_WORD, near, self.by_letters.get(start, []))

    def site(self, query: str, *further: list[str]) -> list[str]:
        """Sites of the query, then those it names, then `further`, those of its words, everybody's."""
        words: Counts = Counter()
        for word in set(query.split()):
            for site, count in self.sites_of_word.get(word, [])[:DEEP]:
                words[site] += count
        near = [site for site, _n in words.most_common(DEEP)]
        named = self.named.get(query.replace(" ", "").removeprefix("www."), [])
        return _first(DEEP, self.sites_of_query.get(query, [])[:DEEP], named, *further, near, self.any_site)

    def named_site(self, query: str) -> list[str]:
        """The same, but before the sites of its words come those that are called like the query without what
        addresses have, or like one word of it or two neighbouring ones.
        """
        words = query.split()
        near = [first + second for first, second in pairwise(words)] + words
        parts = [site for text in near if len(text) >= NAME for site in self.called.get(called(text), [])]
        return self.site(query, self.called.get(called(query), []), parts[:NAMES])


def called(text: str) -> str:
    """What a site, or a search for it, is called: without blanks, http://, www. and from the first dot on."""
    name = text.replace(" ", "").removeprefix("http://").removeprefix("www.")
    return name.partition(".")[0]


def _by_start(texts: Iterable[str], letters: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        if len(text) > letters:
            found[text[:letters]].append(text)
    return found


def _grouped(pairs: Counts) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for (first, second), _n in pairs.most_common():
        found[first].append(second)
    return found


def _first(most: int, *lists: list[str]) -> list[str]:
    found: dict[str, None] = {}
    for texts in lists:
        for text in texts:
            found.setdefault(text)
            if len(found) == most:
                return list(found)
    return list(found)


# --- what each side knows ---


def of_log(log: LogStore) -> Known:
    """Impressions of everything in a log."""
    known = Known()
    kinds = ("word", "word-pair", "query", "site", "query-site", "word-site")
    with open_log(log) as source:
        for kind in kinds:
            artifact = Artifact(kind)
            found = histogram(source.artifacts(artifact), users=False)
            columns = [column.to_pylist() for column in source.texts(artifact, found.key).values()]
            keys = columns[0] if len(columns) == 1 else zip(*columns, strict=True)
            counts = zip(keys, found.impressions.tolist(), strict=True)
            known.counts[TABLES[kind][0]] = Counter(dict(counts))
    return known


def of_tables(tables: dict[str, Any], behind: tuple[str, ...] = ()) -> Known:
    """Released counts; of tables that a release lacks, what the texts of its queries and clicks say."""
    known = Known(behind=behind)
    columns = dict(TABLES.values())
    for name, table in tables.items():
        if name in columns:
            texts = [table[column].to_pylist() for column in columns[name]]
            keys = texts[0] if len(texts) == 1 else zip(*texts, strict=True)
            known.counts[name] = Counter(dict(zip(keys, table["count"].to_pylist(), strict=True)))
    if "words" not in tables:
        _add_words(known)
    return known


def _add_words(known: Known) -> None:
    for query, count in known.counts["queries"].items():
        known.counts["words"].update(dict.fromkeys(query.split(), count))
        known.counts["word_pairs"].update(dict.fromkeys(pairwise(query.split()), count))
    for (query, url), count in known.counts["clicks"].items():
        site = url.split("/")[2].removeprefix("www.")
        known.counts["sites"][site] += count
        known.counts["query_sites"][query, site] += count
        known.counts["word_sites"].update({(word, site): count for word in query.split()})


# --- the tasks ---


@dataclass(frozen=True)
class Search:
    """A query, and the site clicked for it, or none."""

    query: str
    site: str | None


def searches(log: LogStore, random: np.random.Generator) -> list[Search]:
    """Some searches of the tested people: rows, so that a frequent query is tested often."""
    with open_log(log) as source:
        sites = source.parts.sites
        site_names = sites.texts.to_pylist()
    events = pq.read_table(log.events(), columns=["query", "impression", "url"])
    rows = np.flatnonzero(events["impression"].to_numpy())
    rows = np.sort(random.choice(rows, min(SEARCHES, len(rows)), replace=False))
    some = events.take(rows)
    texts = log.query_texts(some["query"].to_numpy()).to_pylist()
    urls = some["url"].to_pylist()
    return [
        Search(text, None if url is None else site_names[sites.site[url]])
        for text, url in zip(texts, urls, strict=True)
    ]


def scores(known: Known, tested: list[Search]) -> dict[str, float]:
    """The mean reciprocal rank of each task over all searches that have it."""
    told: dict[str, list[float]] = defaultdict(list)
    for search in tested:
        words = search.query.split()
        for before, word in zip((None, *words), words, strict=False):
            if len(word) > LETTERS_OF_WORD:
                told["word"].append(_rank(known.word(before, word[:LETTERS_OF_WORD]), word))
        if len(search.query) > LETTERS_OF_QUERY:
            offered = known.by_start.get(search.query[:LETTERS_OF_QUERY], [])[:DEEP]
            told["query"].append(_rank(offered, search.query))
        if search.site is not None:
            told["site"].append(_rank(known.site(search.query), search.site))
            told["named site"].append(_rank(known.named_site(search.query), search.site))
    return {task: round(float(np.mean(ranks)), 4) for task, ranks in told.items()}


def _rank(offered: list[str], right: str) -> float:
    return 1 / (1 + offered.index(right)) if right in offered else 0.0


def divided(path: Path, folder: Path) -> tuple[LogStore, LogStore]:
    """The log of four people in five, and that of the fifth."""
    names = folder / "released.tsv", folder / "tested.tsv"
    with path.open("rb") as rows, names[0].open("wb") as most, names[1].open("wb") as rest:
        header = rows.readline()
        most.write(header)
        rest.write(header)
        for row in rows:
            (rest if int(row.split(b"\t", 1)[0]) % TESTED == 0 else most).write(row)
    released, tested = (import_log([name], name.with_suffix(".store")) for name in names)
    return released, tested


def sampled(release: Release, folder: Path) -> Known:
    """What a log sampled from the release says."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "made.tsv"
        synthesize_from(release, path, users=MADE)
        return of_log(import_log([path], path.with_suffix(".store")))


def measured(
    users: int,
    epsilons: list[float],
    runs: int,
    seed: int,
    tables_alone: bool,
    tell: Callable[[Any], None],
) -> None:
    """All lines of one log."""
    with tempfile.TemporaryDirectory(prefix="crowdlog-tasks-") as place:
        folder = Path(place)
        path = folder / "log.tsv"
        synthesize(path, users=users, seed=seed)
        released, held_out = divided(path, folder)
        path.unlink()
        tested = searches(held_out, np.random.default_rng(seed))
        listed = public_words(WORD_LIST, "original")
        about = {"people": users, "seed": seed}
        tell({**about, "of": "whole log of the others", **scores(of_log(released), tested)})
        tell({**about, "of": "public lists alone", **scores(Known(behind=listed), tested)})
        for epsilon in epsilons:
            for run in range(runs):
                line = {**about, "epsilon": epsilon, "run": run}
                ladder = Ladder(epsilon=epsilon, delta=DELTA[epsilon], people=released.info.users)
                crowd = Crowd(epsilon=epsilon, delta=DELTA[epsilon])
                for mechanism in (ladder, crowd):
                    name, spelled = type(mechanism).__name__, SeededRun(repr(mechanism), seed + run)
                    with seeded_release(released, spelled, folder) as release:
                        tables = {table: release.table(table) for table in release.tables}
                        tell({**line, "of": name, **scores(of_tables(tables), tested)})
                        tell({**line, "of": f"{name} + list", **scores(of_tables(tables, listed), tested)})
                        if not tables_alone:
                            made = scores(sampled(release, folder), tested)
                            tell({**line, "of": f"synthetic log of {name}", **made})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, nargs="*", default=[5000, 20_000])
    parser.add_argument("--epsilon", type=float, nargs="*", default=[1.0, 2.3])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1201)
    parser.add_argument("--tables", action="store_true", help="the tables alone, without sampled logs")
    asked = parser.parse_args()

    def tell(line: Any) -> None:
        print(json.dumps(line), flush=True)

    for users in asked.users:
        measured(users, asked.epsilon, asked.runs, asked.seed, asked.tables, tell)


if __name__ == "__main__":
    main()
