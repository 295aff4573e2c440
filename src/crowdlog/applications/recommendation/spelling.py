"""Words as the crowd spells them: one letter inserted, left out, replaced or changed with its neighbour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

SHORTEST = 5  # letters: shorter words have too many neighbours
BETTER = 5.0  # a word is only corrected to one that so many times as many people use


class Speller:
    """Corrections of a word by those of a release, each of which is kept under its texts of a letter less."""

    def __init__(self, words: Mapping[str, float]) -> None:
        self._count = {word: count for word, count in words.items() if len(word) >= SHORTEST and count > 0}
        self._near: dict[str, list[str]] = {}
        for word in self._count:
            for text in {word, *_shorter(word)}:
                self._near.setdefault(text, []).append(word)

    def suggest(self, word: str) -> list[tuple[str, float]]:
        """Words one step away that are much more frequent, with shares that sum to 1."""
        if len(word) < SHORTEST or not word.isalpha():
            return []
        least = BETTER * self._count.get(word, 1.0)
        texts = {word, *_shorter(word)}
        found = {near for text in texts for near in self._near.get(text, []) if near != word}
        good = {near: self._count[near] for near in found if self._count[near] >= least}
        total = sum(good.values())
        return sorted(((near, count / total) for near, count in good.items()), key=lambda item: -item[1])


def _shorter(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word)))
