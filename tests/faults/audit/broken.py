"""Mechanisms with one fault each: the real one with a part of it replaced while it runs."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np

from crowdlog.engine import bound, subsequences
from crowdlog.mechanisms import a_click, counting, find
from crowdlog.mechanisms.base import Mechanism
from crowdlog.privacy import histories
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection import kernels
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.thresholds import smallest_threshold
from crowdlog.release.promise import Protected

MODULES = {
    "AClick": ["a_click", "edges"],
    "ASession": ["a_session", "edges"],
    "Crowd": ["crowd"],
    "Keys": ["keys"],
    "DPa": ["feild"],
    "DPu": ["feild"],
    "Korolova": ["korolova", "edges"],
    "Zealous": ["zealous"],
}


def broken(
    name: str,
    parts: dict[str, Any] | None = None,
    *,
    after: Callable[[Protected, Any], Protected] | None = None,
    promise: Callable[[Any], Any] | None = None,
) -> type[Mechanism]:
    """The mechanism of this name with these functions of its modules (or of others: a whole path) replaced, its result or its promise changed."""
    kind: Any = find(name)

    class Broken(kind):  # type: ignore[misc]
        def protect(self, log: Any, randomness: Any) -> Protected:
            with ExitStack() as stack:
                for part, replacement in (parts or {}).items():
                    for path in _paths(name, part):
                        stack.enter_context(patch(path, replacement))
                protected = super().protect(log, randomness)
            return after(protected, log) if after else protected

        def promise(self) -> Any:
            return promise(super().promise()) if promise else super().promise()

    return dataclasses.dataclass(frozen=True, repr=False)(Broken)


def _paths(name: str, part: str) -> list[str]:
    """Where a part is used: in those modules of the mechanism that have it."""
    if "." in part:
        return [f"crowdlog.{part}"]
    modules = [f"crowdlog.mechanisms.{module}" for module in MODULES[name]]
    found = [f"{module}.{part}" for module in modules if hasattr(importlib.import_module(module), part)]
    assert found, f"{name} has no {part}"
    return found


def drawn(counts: Any, scale: float, randomness: Any) -> Any:
    return DiscreteLaplace(scale).draw(len(counts), randomness)


# --- noise of the published counts ---


def count_noise(change: Callable[[Any, float, Any], Any]) -> dict[str, Any]:
    """`add_noise` with other noise: change(counts, scale, randomness) gives the noisy counts."""
    return {"add_noise": lambda counts, scale, randomness, *, clean: np.maximum(change(counts, scale, randomness), 0)}


def used_twice(counts: Any, scale: float, randomness: Any) -> Any:
    return counts + np.repeat(drawn(counts, scale, randomness), 2)[: len(counts)]


def halves_alike(counts: Any, scale: float, randomness: Any) -> Any:
    """Only half of the noise is drawn; every draw serves two keys that lie far apart."""
    return counts + np.tile(drawn(counts, scale, randomness)[: (len(counts) + 1) // 2], 2)[: len(counts)]


def doubled_up() -> dict[str, Any]:
    """Every draw of Laplace noise, for selections and counts, serves two keys."""
    draw = DiscreteLaplace.draw
    return {"privacy.noise.DiscreteLaplace.draw": lambda noise, n, randomness: np.repeat(draw(noise, (n + 1) // 2, randomness), 2)[:n]}


def cached() -> Callable[[Any, float, Any], Any]:
    """Noise that is drawn once and kept for the next release."""
    kept: list[Any] = []

    def noisy(counts: Any, scale: float, randomness: Any) -> Any:
        if not kept:
            kept.append(DiscreteLaplace(scale).draw(100_000, randomness))
        return counts + kept[0][: len(counts)]

    return noisy


def numpy_noise(counts: Any, scale: float, _randomness: Any) -> Any:
    return counts + np.round(np.random.default_rng().laplace(0, scale, len(counts))).astype(np.int64)


def fixed_seed(counts: Any, scale: float, _randomness: Any) -> Any:
    return counts + drawn(counts, scale, SeededRandomness(7))


def selection_noise_again() -> dict[str, Any]:
    """One draw both selects and is published, though two were promised."""
    kept: dict[str, Any] = {}

    def select(counts: Any, threshold: Any, randomness: Any) -> Any:
        noise = threshold.noise.draw(len(counts), randomness)
        mask = counts + noise > threshold.K
        kept["noise"] = noise[mask]
        return mask

    return {"select": select, "add_noise": lambda counts, scale, randomness, *, clean: counts + kept["noise"]}


# --- selection ---


def selection(shown: Callable[[Any, Any, Any], Any]) -> dict[str, Any]:
    """`select` by another rule: shown(counts, noise, threshold)."""
    return {"select": lambda counts, threshold, randomness: shown(counts, threshold.noise.draw(len(counts), randomness), threshold)}


# --- bounds ---


class Bounds:
    """`engine.bound` with some functions replaced."""

    def __init__(self, **replaced: Any) -> None:
        self.__dict__.update({name: getattr(bound, name) for name in ("first", "random", "first_distinct", "random_distinct")}, **replaced)


def one_more() -> dict[str, Any]:
    return {
        "bound": Bounds(first=lambda artifacts, d: artifacts.filter(artifacts.nth <= d), first_distinct=lambda a, d: bound.first_distinct(a, d + 1))
    }


def unbounded() -> dict[str, Any]:
    return {"bound": Bounds(first=lambda artifacts, d: artifacts, first_distinct=lambda artifacts, d: bound.first_distinct(artifacts, 10_000))}


def per_key(artifacts: Any, d: int) -> Any:
    """The first d of each key instead of the first d."""
    import ibis

    return artifacts.mutate(place=ibis.row_number().over(ibis.window(group_by=["user", "key"], order_by="row"))).filter(lambda t: t.place < d)


def most_popular(artifacts: Any, d: int) -> Any:
    """The d artifacts of a user that most others have: the choice looks at everybody."""
    import ibis

    popular = artifacts.group_by("key").agg(everybody=artifacts.count())
    order = ibis.window(group_by="user", order_by=[ibis.desc("everybody"), "row"])
    return artifacts.join(popular, "key").mutate(place=ibis.row_number().over(order)).filter(lambda t: t.place < d)


def by_key(artifacts: Any, d: int) -> Any:
    """The d different artifacts with the smallest numbers: another person can turn the numbers of two keys round."""
    import ibis

    once = artifacts.group_by(["user", "key"]).agg(nth=artifacts.nth.min())
    order = ibis.window(group_by="user", order_by="key")
    return once.mutate(place=ibis.row_number().over(order)).filter(lambda t: t.place < d)


def engine_chooses(artifacts: Any, d: int) -> Any:
    """The first d different artifacts by their rows, which several share."""
    import ibis

    once = artifacts.group_by(["user", "key"]).agg(row=artifacts.row.min())
    order = ibis.window(group_by="user", order_by="row")
    return once.mutate(place=ibis.row_number().over(order)).filter(lambda t: t.place < d)


def engine_chooses_at_random(artifacts: Any, d: int, secret: str) -> Any:
    """d artifacts by a keyed hash of their rows, which several share."""
    import ibis

    hashed = (ibis.literal(secret) + artifacts.user.cast("string") + " " + artifacts.row.cast("string")).hexdigest("sha256")
    order = ibis.window(group_by="user", order_by=[hashed, "row"])
    return artifacts.mutate(place=ibis.row_number().over(order)).filter(lambda t: t.place < d)


def repeats_kept(artifacts: Any, d: int) -> Any:
    """Not distinct: a key may come d times from one user."""
    return artifacts.filter(artifacts.nth < d)


def robots_get_more(artifacts: Any, d: int) -> Any:
    """Whoever has more than 40 artifacts is bounded at ten times d."""
    sizes = artifacts.group_by("user").agg(size=artifacts.count())
    return artifacts.join(sizes, "user").filter(lambda t: (t.nth < d) | ((t.size > 40) & (t.nth < 10 * d)))


# --- Korolova's clicks; the examples keep 3 clicks and 2 queries of each user, which tells the two steps apart ---


def clicks_unbounded() -> dict[str, Any]:
    return {"bound": Bounds(first=lambda artifacts, d: artifacts if d == 3 else bound.first(artifacts, d))}


def every_page_shown(counts: Any, threshold: Any, randomness: Any) -> Any:
    return np.ones(len(counts), bool) if threshold.d == 3 else counting.select(counts, threshold, randomness)


def noise_of_queries_again() -> dict[str, Any]:
    """Clicks get the noise that the queries' counts got."""
    kept: list[Any] = []

    def add_noise(counts: Any, scale: float, randomness: Any, *, clean: bool) -> Any:
        kept.append(drawn(counts, scale, randomness))
        return counts + kept[-1 if len(kept) % 2 else -2][: len(counts)]

    return {"add_noise": add_noise}


# --- ZEALOUS's threshold ---


def zealous_threshold(**changed: Any) -> dict[str, Any]:
    """The threshold that is used differs from the declared one: {field: change of its value}."""
    return {
        "smallest_threshold": lambda *values, **more: _changed(smallest_threshold(*values, **more), changed),
    }


def _changed(threshold: Any, changed: dict[str, Any]) -> Any:
    return dataclasses.replace(threshold, **{name: change(getattr(threshold, name)) for name, change in changed.items()})


# --- Crowd ---


def crowd_counts(noise_share: float = 1.0, bound_share: int = 1) -> dict[str, Any]:
    """Counts with a part of the noise, or bounded at a multiple of the budget."""

    def noisy_counts(histories_: Any, budget: int, mu: float, randomness: Any) -> Any:
        noise = RoundedGaussian(noise_share * histories.count_noise(budget, mu).sigma)
        return histories_.counts(bound_share * budget, randomness) + noise.draw(histories_.size, randomness)

    return {"noisy_counts": noisy_counts}


class LowThreshold(AdaptiveGaussian):
    """Forgets that a key of one person may be lifted by noise."""

    def threshold(self, mu: float, tail: float, epsilon: float) -> float:
        return 1.0


class HalfNoise(AdaptiveGaussian):
    """Selects with half of the noise that it was asked for."""

    def run(self, incidence: Any, mu: float, tail: float, randomness: Any, start: Any = None) -> Any:
        return super().run(incidence, 2 * mu, tail, randomness, start)


def whole_weights(_offsets: Any, items: Any, worth: Any) -> Any:
    """Everybody gives each of her items one whole unit."""
    return np.where(worth > 0, np.bincount(items, minlength=len(worth)) * kernels.UNIT, 0)


# --- A_Click ---


def pool_selection(rule: Callable[[Any, Any, int], Any]) -> dict[str, Any]:
    """`Selection` that shows where rule(counts, noise, K)."""

    class Selects(a_click.Selection):
        def pick(self, counts: Any, randomness: Any) -> Any:
            return np.flatnonzero(rule(counts, drawn(counts, self.scale, randomness), self.K))

    return {"Selection": Selects}


def outside_the_pool() -> dict[str, Any]:
    """A closed mechanism that looks at the log's other queries, too."""
    select = a_click.AClick._select
    return {"mechanisms.a_click.AClick._select": lambda self, *rest: select(dataclasses.replace(self, mode="open", K=None), *rest)}


# --- A_Session ---


def sessions_cut(more_sessions: int = 0, more_queries: int = 0) -> dict[str, Any]:
    """Sessions cut too late."""
    cut = subsequences.cut_sessions
    return {"cut_sessions": lambda log, minutes, l_s, l_q, naming: cut(log, minutes, l_s + more_sessions, l_q + more_queries, naming)}


def counted_twice(sessions: Any, queries: int, *, people: bool) -> Any:
    """Every sequence counts twice: a user adds twice what she may."""
    found = subsequences.count_subsequences(sessions, queries, people=people)
    return dataclasses.replace(found, count=2 * found.count)


# --- output ---


def with_tables(protected: Protected, change: Callable[[Any], Any]) -> Protected:
    return dataclasses.replace(protected, tables={name: change(table) for name, table in protected.tables.items()})


def noted_users(protected: Protected, log: Any) -> Protected:
    return dataclasses.replace(protected, notes={**protected.notes, "users": log.info.users})


def by_text(protected: Protected, _log: Any) -> Protected:
    """Rows in the order of ids, which is the order in which the log was read."""
    return with_tables(protected, lambda table: table.sort_by([(table.column_names[0], "ascending")]))


def with_share(protected: Protected, log: Any) -> Protected:
    """A column that divides by the true number of rows."""
    import pyarrow as pa

    return with_tables(protected, lambda table: table.append_column("share", pa.array(table.column("count").to_numpy() / log.info.rows)))


def with_all_queries(protected: Protected, log: Any) -> Protected:
    """Every query of the log, those that were not selected with a count of 0."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def widened(table: Any) -> Any:
        if table.column_names != ["query", "count"]:
            return table
        shown = set(table.column("query").to_pylist())
        rest = [text for text in pq.read_table(log.queries()).column("text").to_pylist() if text not in shown]
        more = pa.table({"query": pa.array(rest, pa.string()), "count": pa.array([0] * len(rest), pa.int64())})
        return pa.concat_tables([table, more]).sort_by([("count", "descending"), ("query", "ascending")])

    return with_tables(protected, widened)
