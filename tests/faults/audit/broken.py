"""Mechanisms with one fault each: the real one with a part of it replaced while it decides, its declared plan
left as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np

from crowdlog.engine import bound, subsequences
from crowdlog.mechanisms import find
from crowdlog.mechanisms.base import Mechanism
from crowdlog.plan import decide as deciding
from crowdlog.plan.decide import Kept
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection import greedy_update, kernels, mad2r
from crowdlog.privacy.selection.truncated_geometric import passes
from crowdlog.release.promise import Protected

PLAN = "plan"  # a part of this name changes the plan that is followed, not the one that is declared


def broken(
    name: str,
    parts: dict[str, Any] | None = None,
    *,
    after: Callable[[Protected, Any], Protected] | None = None,
    promise: Callable[[Any], Any] | None = None,
) -> type[Mechanism]:
    """The mechanism of this name with these functions of crowdlog replaced, its result or its promise
    changed.
    """
    kind: Any = find(name)
    replaced = dict(parts or {})
    change = replaced.pop(PLAN, lambda plan: plan)

    class Broken(kind):  # type: ignore[misc]
        def decide(self, source: Any, randomness: Any) -> dict[str, Kept]:
            with ExitStack() as stack:
                for path, replacement in replaced.items():
                    stack.enter_context(patch(f"crowdlog.{path}", replacement))
                return deciding.decide([change(plan) for plan in self.plan], source, randomness)

        def promise(self) -> Any:
            return promise(super().promise()) if promise else super().promise()

    if after is None and kind.protect is not Mechanism.protect and replaced:
        # it goes a way of its own from the log to the tables

        def protect_with_parts(self: Any, log: Any, randomness: Any, **options: Any) -> Protected:
            with ExitStack() as stack:
                for path, replacement in replaced.items():
                    stack.enter_context(patch(f"crowdlog.{path}", replacement))
                return kind.protect(self, log, randomness, **options)

        Broken.protect = protect_with_parts  # type: ignore[method-assign]
    if after is not None:
        kept: Any = after

        def protect(self: Any, log: Any, randomness: Any, **options: Any) -> Protected:
            return kept(kind.protect(self, log, randomness, **options), log)

        Broken.protect = protect  # type: ignore[method-assign]
    return dataclasses.dataclass(frozen=True, repr=False)(Broken)


def drawn(counts: Any, scale: float, randomness: Any) -> Any:
    return DiscreteLaplace(scale).draw(len(counts), randomness)


# --- noise of the published counts ---


def count_noise(change: Callable[[Any, float, Any], Any]) -> dict[str, Any]:
    """Published counts with other noise: change(counts, scale, randomness) gives the noisy counts."""

    def published(plan: Any, key: Any, true: Any, randomness: Any) -> Kept:
        noisy = np.maximum(change(true, plan.noise.scale, randomness), 0)
        enough = noisy >= (plan.least or 0)
        return Kept(key[enough], noisy[enough])

    return {"plan.decide.published": published}


def used_twice(counts: Any, scale: float, randomness: Any) -> Any:
    return counts + np.repeat(drawn(counts, scale, randomness), 2)[: len(counts)]


def halves_alike(counts: Any, scale: float, randomness: Any) -> Any:
    """Only half of the noise is drawn; every draw serves two keys that lie far apart."""
    return counts + np.tile(drawn(counts, scale, randomness)[: (len(counts) + 1) // 2], 2)[: len(counts)]


def doubled_up() -> dict[str, Any]:
    """Every draw of Laplace noise, for selections and counts, serves two keys."""
    draw = DiscreteLaplace.draw
    return {
        "privacy.noise.DiscreteLaplace.draw": lambda noise, n, randomness: np.repeat(
            draw(noise, (n + 1) // 2, randomness), 2
        )[:n]
    }


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
    return {
        PLAN: lambda plan: dataclasses.replace(
            plan, reuses_noise=True, selection=dataclasses.replace(plan.selection, on="impressions")
        )
    }


# --- selection ---


def selection(shown: Callable[[Any, Any, Any], Any]) -> dict[str, Any]:
    """Selection by another rule: shown(counts, noise, threshold)."""

    def by_counts(plan: Any, found: Any, randomness: Any) -> Kept:
        if not isinstance(plan.selection, NoisyThreshold):
            return RIGHT(plan, found, randomness)
        compared = found.of(plan.selection.on)
        chosen = np.flatnonzero(
            shown(compared, plan.selection.noise.draw(len(compared), randomness), plan.selection)
        )
        return deciding.published(plan, found.key[chosen], found.of(plan.counts)[chosen], randomness)

    return {"plan.decide.by_counts": by_counts}


RIGHT = deciding.by_counts


def threshold(**changed: Any) -> dict[str, Any]:
    """The threshold that is used differs from the declared one: {field: change of its value}."""

    def change(plan: Any) -> Any:
        values = {name: how(getattr(plan.selection, name)) for name, how in changed.items()}
        return dataclasses.replace(plan, selection=dataclasses.replace(plan.selection, **values))

    return {PLAN: change}


# --- bounds ---


class Bounds:
    """`engine.bound` with some functions replaced."""

    def __init__(self, **replaced: Any) -> None:
        self.__dict__.update(
            {name: getattr(bound, name) for name in ("first", "random", "first_distinct", "random_distinct")},
            **replaced,
        )


def bounds(**replaced: Any) -> dict[str, Any]:
    """With some bounds replaced."""
    return {"engine.log_source.bound": Bounds(**replaced)}


def one_more() -> dict[str, Any]:
    return bounds(
        first=lambda artifacts, d: artifacts.filter(artifacts.nth <= d),
        first_distinct=lambda artifacts, d: bound.first_distinct(artifacts, d + 1),
    )


def unbounded() -> dict[str, Any]:
    return bounds(
        first=lambda artifacts, d: artifacts,
        first_distinct=lambda artifacts, d: bound.first_distinct(artifacts, 10_000),
    )


def per_key(artifacts: Any, d: int) -> Any:
    """The first d of each key instead of the first d."""
    import ibis

    return artifacts.mutate(
        place=ibis.row_number().over(ibis.window(group_by=["user", "key"], order_by="row"))
    ).filter(lambda t: t.place < d)


def most_popular(artifacts: Any, d: int) -> Any:
    """The d artifacts of a user that most others have: the choice looks at everybody."""
    import ibis

    everybody = artifacts.key.count().over(ibis.window(group_by="key"))
    order = ibis.window(group_by="user", order_by=[ibis.desc("everybody"), "row"])
    return (
        artifacts.mutate(everybody=everybody)
        .mutate(place=ibis.row_number().over(order))
        .filter(lambda t: t.place < d)
    )


def by_key(artifacts: Any, d: int) -> Any:
    """The d different artifacts with the smallest numbers: another person can turn the numbers of two keys
    round.
    """
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

    hashed = (
        ibis.literal(secret) + artifacts.user.cast("string") + " " + artifacts.row.cast("string")
    ).hexdigest("sha256")
    order = ibis.window(group_by="user", order_by=[hashed, "row"])
    return artifacts.mutate(place=ibis.row_number().over(order)).filter(lambda t: t.place < d)


def repeats_kept(artifacts: Any, d: int) -> Any:
    """Not distinct: a key may come d times from one user."""
    return artifacts.filter(artifacts.nth < d)


def robots_get_more(artifacts: Any, d: int) -> Any:
    """Whoever has more than 40 artifacts is bounded at ten times d."""
    sizes = artifacts.group_by("user").agg(size=artifacts.count())
    return artifacts.join(sizes, "user").filter(lambda t: (t.nth < d) | ((t.size > 40) & (t.nth < 10 * d)))


# --- Korolova's clicks; the examples keep 3 clicks and 2 queries of each user, which tells the two steps
# apart ---


def clicks_unbounded() -> dict[str, Any]:
    return bounds(first=lambda artifacts, d: artifacts if d == 3 else bound.first(artifacts, d))


def every_page_shown(counts: Any, noise: Any, used: Any) -> Any:
    return np.ones(len(counts), bool) if used.d == 3 else counts + noise > used.K


def noise_of_queries_again() -> dict[str, Any]:
    """Clicks get the noise that the queries' counts got."""
    kept: list[Any] = []

    def noisy(counts: Any, scale: float, randomness: Any) -> Any:
        kept.append(drawn(counts, scale, randomness))
        again = kept[-1 if len(kept) % 2 else -2][: len(counts)]
        return counts[: len(again)] + again if len(again) == len(counts) else counts + kept[-1]

    return count_noise(noisy)


# --- Crowd ---


def crowd_counts(noise_share: float = 1.0, bound_share: int = 1) -> dict[str, Any]:
    """Counts with a part of the noise, or bounded at a multiple of the budget."""

    def change(plan: Any) -> Any:
        larger = dataclasses.replace(plan.bound, budget=bound_share * plan.bound.budget)
        return dataclasses.replace(plan, bound=larger, noise=RoundedGaussian(noise_share * plan.noise.sigma))

    return {PLAN: change}


def whole_weights(_offsets: Any, items: Any, worth: Any, _lengths: Any) -> Any:
    """Everybody gives each of her items one whole unit."""
    return np.where(worth > 0, np.bincount(items, minlength=len(worth)) * kernels.UNIT, 0)


def whole_units(_offsets: Any, items: Any, size: int, _own: Any, _order: Any, _most: int) -> Any:
    """Everybody gives each of her items one unit, instead of one in all."""
    return np.bincount(items, minlength=size)


def unit_too_many(chances: list[int], counts: Any, randomness: Any) -> Any:
    """Items are decided as if they had one unit more."""
    return passes(chances, counts + 1, randomness)


def impatient_greedy(noise_share: float = 1.0, lower: int = 0) -> dict[str, Any]:
    """GreedyUpdate with a part of its noise, or a threshold that is so many units lower."""

    right = greedy_update.threshold  # before it is replaced by the wrong one

    def wrong(epsilon: float, delta: float) -> tuple[DiscreteLaplace, int]:
        noise, least = right(epsilon, delta)
        return DiscreteLaplace(noise_share * noise.scale), least - lower * greedy_update.GRID

    return {"privacy.selection.greedy_update.threshold": wrong}


def told_counts() -> dict[str, Any]:
    """Names alone are promised, and exact counts published."""
    return {PLAN: lambda plan: dataclasses.replace(plan, names_only=False)}


def careless_mad2r(noise_share: float = 1.0, lower: float = 0.0) -> dict[str, Any]:
    """MAD2R with a part of its noise in both rounds, or thresholds that are so many units lower."""

    right = mad2r.MAD2R.rounds

    def wrong(self: Any, epsilon: float, delta: float) -> Any:
        return tuple(
            dataclasses.replace(one, sigma=noise_share * one.sigma, threshold=one.threshold - lower)
            for one in right(self, epsilon, delta)
        )

    return {"privacy.selection.mad2r.MAD2R.rounds": wrong}


# --- A_Click ---


def outside_the_pool() -> dict[str, Any]:
    """A closed mechanism that looks at the log's other queries, too."""

    def change(plan: Any) -> Any:
        if plan.name != "queries":
            return plan
        return dataclasses.replace(plan, candidates=dataclasses.replace(plan.candidates, others=True))

    return {PLAN: change}


# --- A_Session ---


def sessions_cut(more_sessions: int = 0, more_queries: int = 0) -> dict[str, Any]:
    """Sessions cut too late."""
    cut = subsequences.cut_sessions
    return {
        "engine.subsequences.cut_sessions": lambda log, minutes, l_s, l_q, naming: cut(
            log, minutes, l_s + more_sessions, l_q + more_queries, naming
        )
    }


_COUNT = subsequences.count_subsequences  # as it is before anything is replaced


def counted_twice(sessions: Any, queries: int, *, people: bool) -> Any:
    """Every sequence counts twice: a user adds twice what she may."""
    found = _COUNT(sessions, queries, people=people)
    return dataclasses.replace(found, count=2 * found.count)


def noise_for_one_sequence() -> dict[str, Any]:
    def change(plan: Any) -> Any:
        return dataclasses.replace(plan, noise=DiscreteLaplace(plan.noise.scale / plan.bound.d))

    return {PLAN: change}


# --- output ---


def with_tables(protected: Protected, change: Callable[[Any], Any]) -> Protected:
    return dataclasses.replace(
        protected, tables={name: change(table) for name, table in protected.tables.items()}
    )


def noted_users(protected: Protected, log: Any) -> Protected:
    return dataclasses.replace(protected, notes={**protected.notes, "users": log.info.users})


def by_text(protected: Protected, _log: Any) -> Protected:
    """Rows in the order of ids, which is the order in which the log was read."""
    return with_tables(protected, lambda table: table.sort_by([(table.column_names[0], "ascending")]))


def with_share(protected: Protected, log: Any) -> Protected:
    """A column that divides by the true number of rows."""
    import pyarrow as pa

    return with_tables(
        protected,
        lambda table: table.append_column(
            "share", pa.array(table.column("count").to_numpy() / log.info.rows)
        ),
    )


def with_all_queries(protected: Protected, log: Any) -> Protected:
    """Every query of the log, those that were not selected with a count of 0."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def widened(table: Any) -> Any:
        if table.column_names != ["query", "count"]:
            return table
        shown = set(table.column("query").to_pylist())
        rest = [text for text in pq.read_table(log.queries()).column("text").to_pylist() if text not in shown]
        more = pa.table(
            {"query": pa.array(rest, pa.string()), "count": pa.array([0] * len(rest), pa.int64())}
        )
        return pa.concat_tables([table, more]).sort_by([("count", "descending"), ("query", "ascending")])

    return with_tables(protected, widened)


# --- the ladder ---


def low_open_bar() -> dict[str, Any]:
    """Keys that nothing public names get the bar of nothing at all."""
    from crowdlog.mechanisms.rungs import climb

    right = climb.choose
    return {
        "mechanisms.rungs.climb.choose": lambda graded, columns, _bar, randomness: right(
            graded, columns, 0.5, randomness
        )
    }


def half_round_noise() -> dict[str, Any]:
    """Every round of a choice with half of its noise."""
    return {"privacy.selection.graded.RoundedGaussian": lambda scale: RoundedGaussian(scale / 2)}


def half_people_noise() -> dict[str, Any]:
    """Numbers of people with half of the noise that their rows tell."""
    return {"privacy.scaled_counts.RoundedGaussian": lambda scale: RoundedGaussian(scale / 2)}


def twice_the_privacy_of_people() -> dict[str, Any]:
    """Numbers of people with half of the noise, and rows that tell so."""
    from crowdlog.privacy import scaled_counts

    right = scaled_counts.noisy_people
    return {
        "privacy.scaled_counts.noisy_people": lambda held, weights, bound, mu, randomness: right(
            held, weights, bound, 2 * mu, randomness
        )
    }


def nobody_is_scaled() -> dict[str, Any]:
    """Whoever holds many keys adds all of them whole."""
    from crowdlog.privacy import scaled_counts

    right = scaled_counts.scaled
    return {"privacy.scaled_counts.scaled": lambda held, weights, _bound: right(held, weights, 1 << 30)}


def half_cell_noise() -> dict[str, Any]:
    """Lengths, hours, shares and topics with half of their noise."""
    return {"privacy.divided.RoundedGaussian": lambda scale: RoundedGaussian(scale / 2)}


def searches_instead_of_people() -> dict[str, Any]:
    """Every search counts as a whole person."""
    from crowdlog.privacy.divided import UNIT

    def counted(_users: Any, cells: Any, size: int) -> Any:
        return np.bincount(cells, minlength=size) * UNIT

    return {"mechanisms.rungs.breakdowns.divided": counted}
