"""Inverting hashed words: frequencies and neighbours tell which word a hash is (Kumar et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from crowdlog.artifacts.packed_keys import pack
from crowdlog.artifacts.semantic.words import QueryWords, split_words
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_trials
from crowdlog.measure.log_arrays import Impressions, read_log
from crowdlog.mechanisms import parse
from crowdlog.types import Floats, Ints

TOKENS = 500  # hashes attacked: the most frequent
CANDIDATES = 1000  # words of the other log they may stand for
SURE = 20  # pairs of equal rank that are believed at first; twice as many in each round
# weight of a factor e between two frequencies, against 1 for neighbours that have nothing in common
RARE = 1.0


@dataclass(frozen=True)
class FrequentWords:
    """The most frequent words, falling: their codes, shares of all impressions, and shares of their
    impressions beside each other.
    """

    code: Ints
    share: Floats
    beside: Floats

    def __repr__(self) -> str:
        return f"FrequentWords({len(self.code)})"


def token_hashes(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """The share of the most frequent hashes whose word is found.

    Without an auxiliary log the attacker knows half of the people's queries.
    """
    name = "token hashes"
    if not any(parse(spelling).hashed_words for spelling in view.mechanisms):
        return nothing(name, "Words are not hashed.")
    coded = view.tables["events"]["query"].combine_chunks().dictionary_encode()
    hashes = split_words(coded.dictionary)
    released = most_frequent(
        hashes, np.bincount(coded.indices.to_numpy(), minlength=len(coded.dictionary)), TOKENS
    )
    words, impressions, whose = _auxiliary(truth, attacker)
    known = most_frequent(words, impressions, CANDIDATES)
    guess = known.code[match(released, known)]
    answer = _answers(view, truth, coded, hashes)[released.code]
    right = [truth_word == words.text[int(g)].as_py() for truth_word, g in zip(answer, guess, strict=True)]
    return result_of_trials(name, sum(right), len(right), 1 / len(known.code), auxiliary=whose)


def most_frequent(words: QueryWords, impressions: Ints, size: int) -> FrequentWords:
    """The `size` most frequent words. `impressions`: of each query."""
    query, word = words.query, words.word
    weight = np.bincount(word, impressions[query], len(words.text))
    code = np.argsort(-weight, kind="stable")[:size]
    place = np.full(len(words.text), -1)
    place[code] = np.arange(len(code))
    kept = place[word] >= 0
    shape = len(impressions), len(code)
    inside = csr_array((np.ones(int(kept.sum())), (query[kept], place[word[kept]])), shape=shape)
    inside.data[:] = 1
    together = (inside.T @ inside.multiply(impressions[:, None]).tocsr()).toarray()
    np.fill_diagonal(together, 0)
    return FrequentWords(code, weight[code] / impressions.sum(), together / weight[code][:, None])


def match(hashes: FrequentWords, words: FrequentWords) -> Ints:
    """For each hash the word most like it.

    Starts from equal ranks; words beside the pairs found so far sharpen the next round.
    """
    from scipy.optimize import linear_sum_assignment

    frequency = RARE * np.abs(np.log(hashes.share)[:, None] - np.log(words.share)[None, :])
    size = min(len(hashes.code), len(words.code))
    found, sure = np.arange(size), SURE
    while True:
        anchors = np.arange(min(sure, size))
        left, right = _unit(hashes.beside[:, anchors]), _unit(words.beside[:, found[anchors]])
        rows, columns = linear_sum_assignment(frequency + 1 - left @ right.T)
        matched = np.zeros(len(hashes.code), np.int64)
        matched[rows] = columns
        if sure >= 4 * size:  # two rounds with every word
            return matched
        found, sure = matched[:size], 2 * sure


def _unit(beside: Any) -> Any:
    """Rows of length 1 after the square root, which keeps frequent neighbours from drowning the others."""
    rows = np.sqrt(beside)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def _auxiliary(truth: Impressions, attacker: Attacker) -> tuple[QueryWords, Ints, str]:
    """The words of the other log, how often each of its queries was asked, and whose log it is."""
    if attacker.auxiliary is not None:
        other = Impressions(attacker.auxiliary)
        return (
            split_words(other.texts.all()),
            np.bincount(other.query, minlength=other.queries),
            "another log",
        )
    half = attacker.rng().random(truth.users) < 0.5
    return (
        split_words(truth.texts.all()),
        np.bincount(truth.query[half[truth.user]], minlength=truth.queries),
        "half of the people",
    )


def _answers(view: AttackerView, truth: Impressions, coded: Any, hashes: QueryWords) -> Any:
    """The word behind each hash, from rows that second and click identify in both the release and the log.

    None where no row tells.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    events = view.tables["events"]
    log = read_log(truth.store)
    urls = truth.store.url_texts(np.arange(truth.store.info.urls))
    published: Any = pc.index_in(events["url"].combine_chunks(), urls)
    theirs = pack(events["time"].to_numpy(), published.fill_null(-1).to_numpy(zero_copy_only=False) + 1)
    ours = pack(log.time, log.url + 1)
    hashed, plain = _same_rows(theirs, ours)
    query_of = np.full(len(coded.dictionary), -1)
    query_of[coded.indices.to_numpy()[hashed]] = log.query[plain]
    texts = np.flatnonzero(query_of >= 0)
    plain_words = split_words(truth.store.query_texts(query_of[texts]))
    answer = np.full(len(hashes.text), None, object)
    told = hashes.word[query_of[hashes.query] >= 0]
    answer[told] = plain_words.text.take(pa.array(plain_words.word)).to_numpy(zero_copy_only=False)
    return answer


def _same_rows(theirs: Ints, ours: Ints) -> tuple[Ints, Ints]:
    """The rows of both whose key occurs once in each."""
    (a, first_a, times_a), (b, first_b, times_b) = (
        np.unique(keys, return_index=True, return_counts=True) for keys in (theirs, ours)
    )
    a, first_a, b, first_b = a[times_a == 1], first_a[times_a == 1], b[times_b == 1], first_b[times_b == 1]
    _keys, at, row = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    return first_a[at], first_b[row]
