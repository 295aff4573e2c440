"""COMPARE: many mechanisms on one log, what each is good for and what it gives away, on one page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from crowdlog.errors import InputError
from crowdlog.files.scratch import Scratch

if TYPE_CHECKING:
    from crowdlog.comparison.comparison import Comparison
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms.base import Mechanism

UTILITY = ("coverage", "adhoc", "sites")
ATTACKS = ("membership", "linkage", "exposure", "singles")


def compare(
    log: LogStore | str | Path,
    mechanisms: Iterable[Mechanism | str],
    *,
    utility: Sequence[str] = UTILITY,
    attacks: Sequence[str] = ATTACKS,
    seeds: int = 3,
    topics: str | Path | None = None,
    tree: str | Path | None = None,
    labels: str | Path | None = None,
    cache: str | Path | None = None,
    jobs: int = 2,
) -> Comparison:
    """Try every mechanism on the log with every seed, and measure each trial.

    Publishes nothing and charges nothing; the ledger notes that the log was looked at.

    `tree`: of measures and attacks by interests, 'wordnet' (as without one) or a file of paths. `labels`:
    which queries are sensitive, a file of lines query TAB topic TAB 0 or 1.
    A spelling may give a list of values: 'Korolova(epsilon=[1, 2, 4], delta=1e-6, d=5)'.
    `cache`: a folder for results; what is there already is not done again. Without one nothing is kept.
    """
    from crowdlog.comparison.comparison import Comparison
    from crowdlog.comparison.grid import Grid, input_digests
    from crowdlog.comparison.spellings import spellings
    from crowdlog.experiments.run import run_experiment
    from crowdlog.experiments.source_digest import file_digest, source_digest
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms.category_tree import WORDNET
    from crowdlog.release.publish import note_look
    from crowdlog.utility.registry import chosen

    store = log if isinstance(log, LogStore) else LogStore.open(log)
    chosen_mechanisms = spellings(mechanisms)
    _check(attacks, seeds, jobs)
    _check_files(topics, tree, labels)
    files = [file_digest(Path(path)) for path in (tree, labels) if path is not None and str(path) != WORDNET]
    note_look(store, "compare")
    with Scratch("compare") as temporary:
        grid = Grid(
            store=str(store.path),
            source=store.info.id,
            cache=str(cache or temporary),
            mechanisms=chosen_mechanisms,
            seeds=seeds,
            utility=tuple(chosen(utility)) if utility else (),
            attacks=tuple(dict.fromkeys(attacks)),
            topics=None if topics is None else str(topics),
            topics_hash="" if topics is None else file_digest(Path(topics)),
            tree=WORDNET if tree is None else str(tree),
            labels=None if labels is None else str(labels),
            interests_hash=" ".join(files),
            code=source_digest(),
            inputs={spelling: input_digests(spelling) for spelling in chosen_mechanisms},
        )
        failures = run_experiment(grid, "crowdlog.comparison.trial", jobs)
        found = Comparison.read(grid, utility, failures)
        if failures and not found.labels:
            raise next(iter(failures.values()))
        return found


def _check_files(topics: str | Path | None, tree: str | Path | None, labels: str | Path | None) -> None:
    """Refuse files that cannot be read before anything is tried."""
    from crowdlog.attacks.sensitive_topics import read_labels
    from crowdlog.comparison.topics import read_topics
    from crowdlog.mechanisms.category_tree import read_tree

    if topics is not None:
        read_topics(Path(topics))
    if tree is not None:
        read_tree(str(tree))
    if labels is not None:
        read_labels(Path(labels))


def _check(attacks: Sequence[str], seeds: int, jobs: int) -> None:
    from crowdlog.attacks import ATTACKS

    unknown = [name for name in attacks if name not in ATTACKS]
    if unknown:
        raise InputError(f"There is no attack '{unknown[0]}'. There are: {', '.join(ATTACKS)}.")
    for name, number in (("seeds", seeds), ("jobs", jobs)):
        if number < 1:
            raise InputError(f"The number of {name} must be at least 1. Got {number}.")
