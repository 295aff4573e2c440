"""Queries that nobody need have asked: what a person asked, with a word more, another word, or one word less.

A release names few whole queries and many words. What is asked next in a task is most often the query before
with another end, so the words that the crowd puts behind others are worth more than its queries:

- one more: the query and a phrase behind it, by the chance of a phrase after its last word;
- another: the query with its last word replaced so;
- one less: the query without its last word;
- typed otherwise: an address as a name, with www. and with .com; a word as the crowd spells it.

The chance of a word after another is that of the published word pairs, mixed with how often the word stands
behind any word.
"""

from __future__ import annotations

import heapq
from collections import defaultdict

from crowdlog.applications.recommendation.crowd_words import CrowdWords
from crowdlog.applications.recommendation.spelling import Speller

# Shares of the ways to go on. Set by hand before anything was measured, and not changed since.
MORE, OTHER, LESS, TYPED, SPELT = 0.40, 0.30, 0.10, 0.12, 0.08
WAYS = (0.35, 0.25, 0.2, 0.08, 0.05, 0.07)  # of typing a site: name, name.com, www.name.com, …
SEEN = 0.6  # trust in the pairs of a word that has many of them; less where there are few
FEW = 20.0  # people who continue a word: so many are worth as much as the words behind any word
PHRASE = 3  # words that are put behind a query at most
WIDTH = 20  # phrases that are gone on with
LEAST = 1e-6


class Composer:
    """Composes what may be asked after a query."""

    def __init__(self, words: CrowdWords) -> None:
        self._words = words
        self._speller = Speller(words.words)

    def query(self, query: str, top: int) -> list[tuple[str, float]]:
        """The best compositions with scores that sum to 1; the query itself is not among them."""
        words = query.split()
        if not words:
            return []
        found: defaultdict[str, float] = defaultdict(float)
        if len(words) == 1:
            for other, share in typed_otherwise(query):
                found[other] += TYPED * share
        self._spell(words, found)
        self._go_on(words, MORE, found)
        if len(words) > 1:
            found[" ".join(words[:-1])] += LESS
            self._go_on(words[:-1], OTHER, found)
            found["".join(words)] += TYPED / 3
        found.pop(query, None)
        best = heapq.nlargest(top, found.items(), key=lambda item: (item[1], item[0]))
        total = sum(score for _text, score in best)
        return [(text, score / total) for text, score in best] if total > 0 else []

    def _spell(self, words: list[str], found: defaultdict[str, float]) -> None:
        for at, word in enumerate(words):
            for right, share in self._speller.suggest(word):
                found[" ".join([*words[:at], right, *words[at + 1 :]])] += SPELT * share

    def _go_on(self, words: list[str], share: float, found: defaultdict[str, float]) -> None:
        """A phrase behind these words: each word by the one before, until it is likelier to end."""
        begun = " ".join(words)
        paths = [(share * self._words.covered, words[-1], begun)]
        for _word in range(PHRASE):
            longer: list[tuple[float, str, str]] = []
            for chance, last, text in paths:
                for word, after in self.next_words(last):
                    if chance * after < LEAST * share:
                        continue
                    end = self._ends(word)
                    whole = f"{text} {word}"
                    found[whole] += chance * after * end
                    longer.append((chance * after * (1 - end), word, whole))
            paths = heapq.nlargest(WIDTH, longer)

    def next_words(self, last: str) -> list[tuple[str, float]]:
        """The words that may come behind a word, with their chances."""
        after = self._words.after.get(last, {})
        total = sum(after.values())
        trust = SEEN * total / (total + FEW) if total else 0.0
        chances = {word: (1 - trust) * share for word, share in self._words.usual}
        for word, count in after.items():
            usual = (1 - trust) * self._words.behind.get(word, 0.0)
            chances[word] = usual + trust * count / total
        return list(chances.items())

    def _ends(self, word: str) -> float:
        """The chance that nothing comes behind a word."""
        asked = self._words.words.get(word, 0.0)
        gone_on = sum(self._words.after.get(word, {}).values())
        return 1 - min(0.9, gone_on / asked) if asked > 0 else 1.0


def typed_otherwise(query: str) -> list[tuple[str, float]]:
    """The ways to type the name of a site, for a query of one word."""
    name = query.removeprefix("http://").removeprefix("https://").removeprefix("www.")
    stem, dot, end = name.rpartition(".")
    if not dot or not end.isalpha():
        stem, end = name, "com"
    if not stem:
        return []
    site = f"{stem}.{end}"
    ways = (stem, site, f"www.{site}", f"http://www.{site}", f"{stem} .{end}", f"www.{stem}")
    return [(way, share) for way, share in zip(ways, WAYS, strict=True) if way != query]
