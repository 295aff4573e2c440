"""Decision trees over a few features: gradient boosting and random forests, small enough for a browser.

One builder serves both: it splits where the gain Σg²/(Σh + ridge) is largest. For boosting g and h are the
derivatives of the logistic loss; for a forest g is the label and h the weight, and the gain is the Gini gain.
Why not a library: docs/decisions/0016-small-trees.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from crowdlog.types import Floats, Ints

CUTS = 64  # candidate thresholds of a feature
RIDGE = 1.0


@dataclass(frozen=True)
class Trees:
    """Node n of a tree sends a vector left if vector[feature[n]] < threshold[n]; feature −1 is a leaf.

    The score is base + Σ values of the leaves reached; `logistic` turns it into a probability.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    roots: Ints
    base: float
    logistic: bool

    def scores(self, vectors: Floats) -> Floats:
        """The probability of each vector."""
        raw = _sums(self.arrays(), np.ascontiguousarray(vectors, np.float64))
        found: Floats = 1 / (1 + np.exp(-raw)) if self.logistic else raw
        return found

    def arrays(self) -> tuple[Any, ...]:
        return (self.feature, self.threshold, self.left, self.right, self.value, self.roots, self.base)

    def stepped(self) -> tuple[Any, ...]:
        """The trees for `score_in_step`: the children of node n are child[2n] and child[2n + 1], of a leaf
        the leaf itself; the last number is the greatest depth.
        """
        leaf = self.feature < 0
        own = np.arange(len(leaf))
        child = np.stack([np.where(leaf, own, self.left), np.where(leaf, own, self.right)], axis=1)
        depth, reached = 0, np.unique(self.roots)
        while not leaf[reached].all():
            reached = np.unique(child[reached])
            depth += 1
        # unsigned: a number that cannot be negative is looked up without asking
        feature, roots = np.where(leaf, 0, self.feature).astype(np.uint64), self.roots.astype(np.uint64)
        return (feature, self.threshold, child.ravel().astype(np.uint64), self.value, roots, self.base, depth)

    def as_json(self) -> dict[str, Any]:
        return {
            "feature": self.feature.tolist(),
            "threshold": [float(f"{x:.9g}") for x in self.threshold],
            "left": self.left.tolist(),
            "right": self.right.tolist(),
            "value": [float(f"{x:.9g}") for x in self.value],
            "roots": self.roots.tolist(),
            "base": self.base,
            "logistic": self.logistic,
        }

    def fit(self, features: int) -> bool:
        """Whether these are trees over so many features. Kernels do not look: a number outside would be read
        from somewhere else in memory, and a child before its parent could be walked to for ever.
        """
        nodes = len(self.feature)
        own = np.arange(nodes)
        columns = (self.feature, self.threshold, self.left, self.right, self.value)
        if any(column.shape != (nodes,) for column in columns) or self.roots.ndim != 1:
            return False
        inner = self.feature >= 0
        children = np.stack([self.left, self.right])[:, inner]
        numbers = np.concatenate([self.threshold, self.value, [self.base]])
        return bool(
            (self.feature < features).all()
            and (children > own[inner]).all()
            and (children < nodes).all()
            and (self.roots >= 0).all()
            and (self.roots < nodes).all()
            and np.isfinite(numbers).all()
        )

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Trees:
        kinds: dict[str, Any] = {"threshold": np.float64, "value": np.float64}
        names = ("feature", "threshold", "left", "right", "value", "roots")
        feature, threshold, left, right, value, roots = (
            np.array(data[name], kinds.get(name, np.int64)) for name in names
        )
        base, logistic = float(data["base"]), data["logistic"]
        if not isinstance(logistic, bool):
            raise TypeError("logistic is true or false")
        return cls(feature, threshold, left, right, value, roots, base, logistic)

    def rounded(self) -> Trees:
        """The very numbers that a file of it holds: what is saved and loaded answers the same."""
        return Trees.of_json(self.as_json())


def boosted(
    vectors: Floats, labels: Floats, weights: Floats, *, trees: int = 80, depth: int = 4, rate: float = 0.1
) -> Trees:
    """Gradient boosting of the logistic loss (Friedman 2001; second order as in Chen and Guestrin 2016)."""
    if not len(labels):
        return _undecided(0.0, logistic=True)
    cuts, places = _cut(vectors)
    share = float(np.clip(np.average(labels, weights=weights), 1e-6, 1 - 1e-6))
    base = float(f"{np.log(share / (1 - share)):.9g}")
    raw = np.full(len(labels), base)
    grown = []
    features = np.arange(vectors.shape[1])
    for _tree in range(trees):
        probability = 1 / (1 + np.exp(-raw))
        gradient = weights * (labels - probability)
        curvature = weights * probability * (1 - probability)
        tree = _grow(places, cuts, gradient, curvature, depth, 1.0, RIDGE, features, 0, rate)
        raw += _sums((*tree, np.zeros(1, np.int64), 0.0), vectors)
        grown.append(tree)
    return _joined(grown, base, logistic=True)


def forest(
    vectors: Floats,
    labels: Floats,
    weights: Floats,
    *,
    trees: int = 100,
    depth: int = 8,
    seed: int = 0,
    resample: bool = True,
) -> Trees:
    """A random forest (Breiman 2001): each tree sees a bootstrap sample, each split √features of them."""
    if not len(labels):
        return _undecided(0.5, logistic=False)
    cuts, places = _cut(vectors)
    generator = np.random.default_rng(seed)
    tried = max(1, round(np.sqrt(vectors.shape[1])))
    grown = []
    for _tree in range(trees):
        drawn = weights * (generator.poisson(1.0, len(weights)) if resample else 1.0)
        order = generator.permuted(np.tile(np.arange(vectors.shape[1]), (2 ** (depth + 1), 1)), axis=1)
        grown.append(
            _grow(places, cuts, drawn * labels, drawn, depth, 2.0, 1e-9, order.ravel(), tried, 1 / trees)
        )
    return _joined(grown, 0.0, logistic=False)


def _cut(vectors: Floats) -> tuple[Floats, Any]:
    """At most CUTS thresholds of each feature (padded with infinity), and between which a value lies."""
    cuts = np.full((vectors.shape[1], CUTS), np.inf)
    places = np.empty(vectors.shape, np.uint8)
    for number in range(vectors.shape[1]):
        values = np.unique(vectors[:, number])
        if len(values) > CUTS:
            values = np.unique(np.quantile(vectors[:, number], np.linspace(0, 1, CUTS + 1), method="nearest"))
        # rounded as in the file, so that a saved model sends no vector the other way
        middle = np.unique([float(f"{x:.9g}") for x in (values[1:] + values[:-1]) / 2])
        cuts[number, : len(middle)] = middle[:CUTS]
        places[:, number] = np.searchsorted(middle[:CUTS], vectors[:, number], side="right")
    return cuts, places


def _undecided(base: float, *, logistic: bool) -> Trees:
    """Where there is nothing to learn from, the chance is a half."""
    none = np.zeros(0, np.int64)
    return Trees(none, np.zeros(0), none, none, np.zeros(0), none, base, logistic)


def _joined(grown: list[Any], base: float, *, logistic: bool) -> Trees:
    sizes = [len(tree[0]) for tree in grown]
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    columns = [np.concatenate([tree[c] for tree in grown]) for c in range(5)]
    shift = np.repeat(roots, sizes)
    leaf = columns[0] < 0
    left = np.where(leaf, -1, columns[2] + shift)
    right = np.where(leaf, -1, columns[3] + shift)
    return Trees(columns[0], columns[1], left, right, columns[4], roots, base, logistic).rounded()


@njit(cache=True, nogil=True)
def score_one(trees, vector):  # type: ignore[no-untyped-def]
    """The sum of the leaves that a vector reaches."""
    feature, threshold, left, right, value, roots, base = trees
    total = base
    for root in roots:
        node = root
        while feature[node] >= 0:
            node = left[node] if vector[feature[node]] < threshold[node] else right[node]
        total += value[node]
    return total


@njit(cache=True, nogil=True)
def _step(feature, threshold, child, vector, node):  # type: ignore[no-untyped-def]
    right = np.uint64(not vector[feature[node]] < threshold[node])
    return child[np.uint64(2) * node + right]


@njit(cache=True, nogil=True)
def score_in_step(trees, vector):  # type: ignore[no-untyped-def]
    """`score_one`, four trees at a time: a step down one tree need not wait for that of another."""
    feature, threshold, child, value, roots, base, depth = trees
    total = base
    whole = len(roots) - len(roots) % 4
    for k in range(0, whole, 4):
        a, b, c, d = roots[k], roots[k + 1], roots[k + 2], roots[k + 3]
        for _level in range(depth):
            a = _step(feature, threshold, child, vector, a)
            b = _step(feature, threshold, child, vector, b)
            c = _step(feature, threshold, child, vector, c)
            d = _step(feature, threshold, child, vector, d)
        total += value[a]
        total += value[b]
        total += value[c]
        total += value[d]
    for k in range(whole, len(roots)):
        node = roots[k]
        for _level in range(depth):
            node = _step(feature, threshold, child, vector, node)
        total += value[node]
    return total


@njit(cache=True, nogil=True)
def _sums(trees, vectors):  # type: ignore[no-untyped-def]
    out = np.empty(len(vectors))
    for i in range(len(vectors)):
        out[i] = score_one(trees, vectors[i])
    return out


@njit(cache=True, nogil=True)
def _best_split(places, rows, g, h, least, ridge, candidates, cuts):  # type: ignore[no-untyped-def]
    """(gain, feature, cut) of the best split of these rows; a gain of 0 where none helps."""
    best = (0.0, -1, -1)
    for feature in candidates:
        sums = np.zeros((CUTS + 1, 2))
        for row in rows:
            sums[places[row, feature], 0] += g[row]
            sums[places[row, feature], 1] += h[row]
        G, H = sums[:, 0].sum(), sums[:, 1].sum()
        left_g, left_h = 0.0, 0.0
        for cut in range(CUTS):
            if np.isinf(cuts[feature, cut]):
                break
            left_g += sums[cut, 0]
            left_h += sums[cut, 1]
            if left_h < least or H - left_h < least:
                continue
            gain = (
                left_g**2 / (left_h + ridge) + (G - left_g) ** 2 / (H - left_h + ridge) - G**2 / (H + ridge)
            )
            if gain > best[0] + 1e-9:
                best = (gain, feature, cut)
    return best


@njit(cache=True, nogil=True)
def _grow(places, cuts, g, h, depth, least, ridge, order, tried, rate):  # type: ignore[no-untyped-def]
    """One tree, level by level. `tried` > 0: the next so many features of `order` for each split."""
    most = 2 ** (depth + 1)
    feature = np.full(most, -1, np.int64)
    threshold = np.zeros(most)
    left = np.full(most, -1, np.int64)
    right = np.full(most, -1, np.int64)
    value = np.zeros(most)
    of_row = np.zeros(len(g), np.int64)
    level = np.zeros(most, np.int64)
    used, node = 1, 0
    while node < used:
        rows = np.flatnonzero(of_row == node)
        candidates = order
        if tried > 0:
            width = cuts.shape[0]
            candidates = order[node * width : node * width + tried]
        value[node] = rate * g[rows].sum() / (h[rows].sum() + ridge)
        gain, chosen, cut = 0.0, -1, -1
        if level[node] < depth:
            gain, chosen, cut = _best_split(places, rows, g, h, least, ridge, candidates, cuts)
        if gain > 0:
            feature[node], threshold[node] = chosen, cuts[chosen, cut]
            left[node], right[node] = used, used + 1
            level[used], level[used + 1] = level[node] + 1, level[node] + 1
            for row in rows:
                of_row[row] = used if places[row, chosen] <= cut else used + 1
            used += 2
        node += 1
    return feature[:used], threshold[:used], left[:used], right[:used], value[:used]
