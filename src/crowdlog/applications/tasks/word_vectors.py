"""A semantic similarity of one's own: a file of word vectors (a word and its numbers on each line).

It takes the place of the offline default, the cosine of stems. Texts are compared by the cosine of the mean
vector of their words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from crowdlog.errors import InputError
from crowdlog.types import Floats


@dataclass(frozen=True, repr=False)
class WordVectors:
    """The vector of each word."""

    places: dict[str, int]
    vectors: Floats

    def __repr__(self) -> str:
        return f"WordVectors({len(self.places)} words of {self.vectors.shape[1]} numbers)"

    def of_texts(self, texts: Sequence[str]) -> Floats:
        """The mean vector of each text's words, of length 1; zeros where no word is known."""
        means = np.zeros((len(texts), self.vectors.shape[1]))
        for number, text in enumerate(texts):
            known = [self.places[word] for word in text.split() if word in self.places]
            if known:
                means[number] = self.vectors[known].mean(axis=0)
        length = np.linalg.norm(means, axis=1, keepdims=True)
        return means / np.where(length > 0, length, 1)


def read_word_vectors(path: str | Path) -> WordVectors:
    """Lines of a word and numbers, blanks between; a first line of two numbers (word2vec's) is left out."""
    places: dict[str, int] = {}
    rows: list[list[float]] = []
    number = 1
    try:
        with Path(path).open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                word, *numbers = line.split()
                if len(numbers) == 1 and number == 1:
                    continue
                values = [float(value) for value in numbers]
                if (rows and len(values) != len(rows[0])) or not values or not all(map(isfinite, values)):
                    raise ValueError  # noqa: TRY301 - one message for both
                places.setdefault(word, len(rows))
                rows.append(values)
    except OSError as error:
        raise InputError(f"The file of word vectors {path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise InputError(
            f"The file of word vectors {path} cannot be used: line {number} is not a word and as many "
            "numbers as on the lines before."
        ) from None
    if not rows:
        raise InputError(f"The file of word vectors {path} is empty.")
    return WordVectors(places, np.array(rows))
