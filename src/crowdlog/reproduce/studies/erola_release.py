"""What the studies of Erola 2013, chapter 5, share: the log, the methods, and what is measured of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.attacks.exposure import exposure_of_records
from crowdlog.attacks.linkage import link_chances
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.measure.categories import query_categories
from crowdlog.measure.entropy import loss_ratio
from crowdlog.measure.histories import PublishedHistories
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.category_tree import WORDNET
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.utility.il import information_loss
from crowdlog.utility.ilr import ACTIVE
from crowdlog.utility.top import kept_of_each

PAPER = "Erola 2013"
USERS = 1000  # as in the thesis
AS_PRINTED = "word_users=1, names='allow'"  # the thesis has no rule of texts
METHODS = {
    "semantic": f"SemanticMdav(k={{k}}, {AS_PRINTED})",
    "ODP": f"OdpClusters(k={{k}}, {AS_PRINTED})",
    "syntactic": f"Mdav(k={{k}}, {AS_PRINTED})",
    "no semantics": f"Mdav(k={{k}}, {AS_PRINTED}, distance='equality')",
}
SETUP = (
    "The thesis takes 1,000 users of AOL's log with 55,666 rows and the Open Directory; ours are 1,000 users "
    "(or as many as the log has) of a synthetic log with about 56 rows a user, and WordNet. Texts are "
    "published as in the thesis, without our rule of words."
)
Numbers = dict[str, float]


def small_log(bench: Bench) -> LogStore:
    """As many users as the thesis has, at most."""
    if bench.users <= USERS:
        return bench.log

    def write(source: Path) -> None:
        synthesize(source, users=USERS, seed=SEED)

    return bench.imported(f"log-{USERS}", write)


def numbers(bench: Bench, spelling: str, *, all_of_them: bool = True) -> Numbers:
    """Risk and utility of a release of rows, kept: studies share it."""

    def make() -> Numbers:
        log = small_log(bench)
        with bench.released(parse(spelling), log) as release:
            histories = PublishedHistories(release, log)
            return numbers_of(histories.own, histories.known, log, all_of_them=all_of_them)

    return bench.kept(["erola", small_log(bench).path.name, spelling, all_of_them], make)


def numbers_of(own: Any, shown: Any, log: LogStore, *, all_of_them: bool = True) -> Numbers:
    """Users by queries, before and after, as shares; PEL, ILR and, if asked for, everything by categories."""
    active = own.sum(axis=1) >= ACTIVE
    found = {
        "PEL": _exposure(own, shown),
        "ILR": loss_ratio(own, shown),
        "ILR of active users": loss_ratio(own[active], shown[active]),
        "empty": float((shown.sum(axis=1) == 0).mean()),
    }
    if all_of_them:
        tree, matrix = query_categories(log, WORDNET)
        mine = (own @ matrix).tocsr()
        theirs = (shown @ matrix).tocsr()
        mapped = mine.sum(axis=1) > 0
        everybody = np.arange(own.shape[0])
        found |= {
            "RL": float(link_chances(own, shown, everybody).mean()),
            "PEL of categories": _exposure(mine, theirs),
            "RL of categories": float(link_chances(mine, theirs, everybody).mean()),
            "IL": information_loss(mine[mapped], theirs[mapped], tree)[0],
            "query frequencies": float(kept_of_each(own, shown).mean()),
            "category frequencies": float(kept_of_each(mine, theirs).mean()),
        }
    return found


def _exposure(own: Any, shown: Any) -> float:
    return float(np.nanmean(exposure_of_records(own, shown, shown.sum(axis=1))))


def own_histories(log: LogStore) -> Any:
    """Users by queries: how often each asked each."""
    return Impressions(log).profile
