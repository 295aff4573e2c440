"""Keyword generation: queries that belong to a concept given by some URLs (Korolova et al. 2009, §7.2.2).

They are found by a walk that the concept absorbs. As in the study rare edges are left out of both graphs: a
release has none of them, and with them the log's own chances would be others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.packed_keys import unpack
from crowdlog.errors import InputError
from crowdlog.measure.draws import generator
from crowdlog.measure.intervals import bootstrap_ratio
from crowdlog.measure.tables import KeyCounts, Tables
from crowdlog.measure.vocabulary import compute
from crowdlog.models.absorbing_walk import above_elsewhere, relevance
from crowdlog.types import Bools, Ints
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score, share

THRESHOLDS = (0.5, 0.7, 0.9, 0.95)
# Concepts when none are given: every 20th of the 200 most clicked sites; a walk from anywhere soon meets the
# first.
SITES, AMONG = 10, 200


def concepts_of(truth: Truth, settings: MeasureSettings) -> tuple[list[str], Ints]:
    """Names of the concepts and for each URL of the log the number of its concept, or -1."""
    texts = truth.vocabulary.urls.all()
    site = _sites(texts)
    if settings.concepts:
        concept = np.full(len(texts), -1, np.int64)
        for i, (name, sites) in enumerate(settings.concepts.items()):
            members = compute.is_in(site, value_set=_sites(pa.array(sites, pa.string()))).to_numpy(
                zero_copy_only=False
            )
            if not members.any():
                raise InputError(
                    f"The concept '{name}' has no site that was clicked in this log. "
                    "Give sites as in 'shoes=shoes.com,zappos.com'."
                )
            concept[members] = i
        return list(settings.concepts), concept
    encoded = site.dictionary_encode()
    codes = encoded.indices.to_numpy()
    clicks = truth.table("clicks")
    per_site = np.bincount(
        codes[unpack(clicks.key)[1]], weights=clicks.count, minlength=len(encoded.dictionary)
    )
    popular = np.argsort(-per_site, kind="stable")[:AMONG]
    popular = popular[np.unique(np.linspace(-1, len(popular) - 1, SITES + 1).astype(np.int64)[1:])]
    number = np.full(len(encoded.dictionary), -1, np.int64)
    number[popular] = np.arange(len(popular))
    return [f"site {i + 1}" for i in range(len(popular))], number[codes]


def _sites(urls: Any) -> Any:
    """The site of each URL, without www."""
    site = compute.replace_substring_regex(compute.utf8_lower(urls), r"^[a-z]+://(www\.)?|^www\.", "")
    return compute.replace_substring_regex(site, r"[/?#:].*$", "")


def measure(released: Tables, truth: Truth, settings: MeasureSettings) -> list[Score]:
    """Keywords found in both graphs at each relevance."""
    if released.clicks is None:
        return []
    names, concept = concepts_of(truth, settings)
    marked = concept[:, None] == np.arange(len(names))
    ours, original = (
        _keywords(table, marked, truth.sizes, settings.fewest_clicks)
        for table in (released.clicks, truth.table("clicks"))
    )
    return [
        score
        for threshold in THRESHOLDS
        for score in _at(threshold, names, ours >= threshold, original >= threshold, settings)
    ]


def _keywords(table: KeyCounts, concepts: Bools, sizes: tuple[int, int], fewest_clicks: int) -> Any:
    clicks = table.at_least(fewest_clicks).matrix(sizes)
    return above_elsewhere(relevance(clicks, concepts), clicks, concepts)


def _at(
    threshold: float, names: list[str], ours: Bools, original: Bools, settings: MeasureSettings
) -> list[Score]:
    both, theirs, own = (found.sum(axis=0) for found in (ours & original, original, ours))
    rows = [
        {"concept": name, "released": int(own[i]), "original": int(theirs[i]), "in_both": int(both[i])}
        for i, name in enumerate(names)
    ]
    draws = generator(settings.seed)
    found = {"relevance": threshold, "fewest_clicks": settings.fewest_clicks, "concepts": rows}
    return [
        Score(
            f"keywords:{what}@{threshold}",
            share(both.sum(), of.sum()),
            int(of.sum()),
            bootstrap_ratio(both, of, draws),
            found,
        )
        for what, of in (("overlap", own), ("kept", theirs))
    ]
