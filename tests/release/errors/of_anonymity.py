"""Errors of k-anonymous releases: the files they read, what they compare by, and the check of them; and of
the commands that show a release.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crowdlog.artifacts.knowledge import wordnet
from crowdlog.artifacts.knowledge.directory import read_directory
from crowdlog.artifacts.semantic import vectors as semantic_vectors
from crowdlog.artifacts.semantic.reading import read_words
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.cli import _flush
from crowdlog.clusters.distances.semantic import SemanticDistance
from crowdlog.clusters.distances.vectors import VectorDistance
from crowdlog.clusters.partition import EXACT, refuse_sizes
from crowdlog.clusters.profiles import Profiles
from crowdlog.extras import need
from crowdlog.files.address import Address
from crowdlog.log.fetch import fetch_table
from crowdlog.mechanisms import find
from crowdlog.pages.picture import picture
from tests.release.errors.bench import Bench, Case, Cases
from tests.release.errors.of_releases import crowdlog

Tables = dict[str, pa.Table]


def tree(content: str | bytes, name: str = "tree.tsv") -> Case:
    return lambda bench: read_directory(bench.file(content, name))


def without_wordnet(bench: Bench) -> None:
    wordnet.read_wordnet.cache_clear()
    bench.patch.setattr(wordnet, "FOLDERS", ())
    bench.patch.delenv("WNSEARCHDIR", raising=False)
    wordnet.read_wordnet()


def without_texts(bench: Bench) -> None:
    """No import makes such a store: its texts were taken out afterwards, and nobody checked it."""
    ids = pq.read_table(bench.log.queries(), columns=["id"])["id"]
    pq.write_table(pa.table({"id": ids, "text": [""] * len(ids)}), bench.log.queries())
    read_words(bench.log)


def too_long(_bench: Bench) -> None:
    """A query of one concept that is heavier than all of a log's together."""
    semantic_vectors.build_vectors(np.array([0, 1]), np.array([0], np.int32), np.array([1 << 25]))


def categories(weight: int, depth: int) -> Case:
    """One user with one category of this weight, so deep in its tree."""
    numbers = [np.array(values, np.int32) for values in ([0], [weight], [-1], [depth])]
    item, weights, parent, depths = numbers
    return lambda _bench: SemanticDistance(Profiles(np.array([0, 1]), item, weights), parent, depths)


def vectors(content: str | bytes) -> Case:
    """Histories by vectors of a file."""

    def case(bench: Bench) -> None:
        file = bench.file(content)
        bench.publish(f"Mdav(k=3, distance='vectors', vectors='{file}')", i_know=True)

    return case


def another_hash(bench: Bench) -> None:
    bench.file("x", "part")
    (bench.folder / "events").mkdir()
    (bench.folder / "part").rename(bench.folder / "events" / "part")
    fetch_table(Address.of(bench.folder.as_uri()), "events", bench.out, {"events/part": "0" * 64})


def verified(mechanism: str, spoil: Callable[[Tables], Tables]) -> Case:
    """A release by a mechanism that makes its tables wrongly, and is published so."""

    def case(bench: Bench) -> None:
        kind = find(mechanism.partition("(")[0])
        protect = kind.protect

        def wrongly(*words: Any, **options: Any) -> Any:
            protected = protect(*words, **options)
            return replace(protected, tables=spoil(dict(protected.tables)))

        bench.patch.setattr(kind, "protect", wrongly)
        bench.publish(mechanism, i_know=True)
        bench.charges += 1
        crowdlog("verify", bench.out, "--truth", bench.log.path)

    return case


def false_counts(tables: Tables) -> Tables:
    queries = tables["queries"]
    doubled = pa.array([2 * count for count in queries["count"].to_pylist()], pa.int64())
    return {"queries": queries.set_column(queries.column_names.index("count"), "count", doubled)}


def another_name(tables: Tables) -> Tables:
    return {"words": tables["queries"].rename_columns(["word", *tables["queries"].column_names[1:]])}


def a_row_less(tables: Tables) -> Tables:
    return {**tables, "events": tables["events"].slice(1)}


def without_clusters(tables: Tables) -> Tables:
    return {**tables, "events": tables["events"].drop_columns(["cluster"])}


def signed_by_nobody(bench: Bench) -> None:
    crowdlog("verify", bench.done.path, "--key", "00" * 32)


def half_a_budget(bench: Bench) -> None:
    crowdlog("budget", bench.log.path, "--epsilon", 3)


def full_stdout(bench: Bench) -> None:
    """What is left in the buffer when a command is done."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:  # closed when it leads elsewhere
        bench.patch.setattr(sys, "stdout", full)
        full.write("done")
        _flush()


def not_installed(bench: Bench) -> None:
    bench.patch.setattr("crowdlog.extras.find_spec", lambda _name: None)
    need("text")


ANONYMITY_ERRORS: Cases = {
    "artifacts/knowledge/directory.py": {
        "The tree of categories {} cannot be read: {}.": lambda bench: read_directory(
            bench.folder / "nowhere"
        ),
        "it is not UTF-8 text": tree(b"\xff\xfe\xfa"),
        "is not a path such as": tree("Sports/Golf\tmany\n"),
        "it is not well-formed XML": tree("<RDF><Topic>", "tree.rdf"),
    },
    "artifacts/knowledge/tree.py": {"is empty. Give lines such as": tree("\n")},
    "artifacts/knowledge/wordnet.py": {"WordNet is not installed": without_wordnet},
    "artifacts/semantic/reading.py": {"The log has no query text": without_texts},
    "artifacts/semantic/theta.py": {
        "must be above 0 and at most 1": lambda _bench: Theta.of(1.5),
        "at most four decimals": lambda _bench: Theta.of(0.12345),
    },
    "artifacts/semantic/vectors.py": {"is too long to be compared exactly": too_long},
    "clusters/distances/semantic.py": {
        "levels deep; at most": categories(1, 127),
        "categories, too many to be compared": categories(1 << 28, 1),
    },
    "clusters/distances/vectors.py": {
        "must be finite numbers": lambda _bench: VectorDistance(np.array([[np.inf]])),
        "cannot be read as UTF-8 text": vectors(b"\xff\xfe\xfa"),
        "is not a user and {} numbers": vectors("u1\tmany\n"),
        "users of the log. Give one for each": vectors("u1\t0.5\n"),
    },
    "clusters/partition.py": {
        "and a cluster needs k": lambda bench: bench.publish("Mdav(k=61, distance='equality')", i_know=True),
        "are too small for k": lambda bench: bench.publish(
            "Mdav(k=10, distance='equality', exact=19)", i_know=True
        ),
        "keep the distances of all pairs": lambda _bench: refuse_sizes(2 * EXACT, 3, 2 * EXACT, pairs=True),
    },
    "log/fetch.py": {"is not what the import wrote": another_hash},
    "pages/picture.py": {
        "A logo is a file of": lambda bench: picture(bench.file("x", "logo.gif")),
        "The logo {} cannot be read": lambda bench: picture(bench.folder / "nowhere.png"),
        "The logo has": lambda bench: picture(bench.file("x" * 500_001, "logo.png")),
        "is not an SVG that browsers draw": lambda bench: picture(bench.file("<svg", "logo.svg")),
    },
    "extras.py": {"": not_installed},
    "cli/__init__.py": {"only what was printed did not arrive": full_stdout},
    "cli/budget.py": {"Give both --epsilon and --delta": half_a_budget},
    "cli/verify.py": {
        "is not signed with the key given": signed_by_nobody,
        "is not what this log gives": verified("FTu(k=2)", false_counts),
        "has no table of queries": verified("KAnonymity(k=2)", another_name),
        "-anonymous at Θ": verified("KAnonymity(k=2)", false_counts),
        "has no table of rows with their clusters": verified(
            "Mdav(k=3, distance='equality')", without_clusters
        ),
        "-anonymous by users as it stands": verified("Mdav(k=3, distance='equality')", a_row_less),
    },
}
ANONYMITY_PARTS: Cases = {
    "artifacts/knowledge/directory.py": {"it is cut off or not compressed": tree("no gzip", "tree.tsv.gz")},
    "extras.py": {"this needs the package": not_installed},
}
