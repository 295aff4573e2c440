"""Which class a text belongs to, from the text and from what is public: the one place that decides it, for
what people hold and for cells that nobody holds alike.

Keys are whole numbers that say the class: queries of one, two or three released words, addresses of one,
pairs of words, sites called by released words; negative keys (−1 − id) are open: they have no grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from crowdlog.mechanisms.rungs.addresses import FORMS, SUFFIXES, address_cells, written
from crowdlog.mechanisms.rungs.choice import NOT_A_CELL
from crowdlog.mechanisms.rungs.site_names import NO_NAME, Namers
from crowdlog.types import Ints


@dataclass(frozen=True)
class ShownWords:
    """The released words in the order of the alphabet, and the public list they may come from.

    `addressed`: queries may be written as addresses, which some representations never are.
    """

    texts: tuple[str, ...]
    listed: tuple[str, ...]
    addressed: bool = True

    @property
    def size(self) -> int:
        return len(self.texts)

    @cached_property
    def place(self) -> dict[str, int]:
        return {text: place for place, text in enumerate(self.texts)}

    @cached_property
    def names(self) -> pa.StringArray:
        names: pa.StringArray = pa.array(self.texts, pa.string())
        return names

    # --- queries: keys of one word come first, then of two, then of three, then addresses ---

    def first(self, words: int) -> int:
        """The first key of queries of so many words."""
        return sum(self.size**length for length in range(1, words))

    def query(self, key: int) -> str:
        """The text of a closed query."""
        if key >= self.first(4):
            place, form = divmod(key - self.first(4), len(FORMS))
            return written(self.texts[place], form)
        words = 1 if key < self.first(2) else 2 if key < self.first(3) else 3
        return " ".join(self.texts[place] for place in self.places(key - self.first(words), words))

    def places(self, cell: int, words: int) -> list[int]:
        """The places of the words of a cell of W × W × …"""
        return [cell // self.size**power % self.size for power in reversed(range(words))]

    @property
    def addresses(self) -> int:
        """How many addresses the words name."""
        return self.size * len(FORMS) if self.addressed else 0

    def address_keys(self, texts: pa.StringArray) -> Ints:
        """The key of each text that is an address of a word, NOT_A_CELL for others."""
        cell = address_cells(texts, self.names)
        return np.where((cell >= 0) & self.addressed, self.first(4) + cell, NOT_A_CELL)

    def canonical_addresses(self, cells: Ints) -> Ints:
        """Keys of cells, NOT_A_CELL where the text of the cell is another's."""
        keys = self.first(4) + cells
        texts = pa.array([self.query(key) for key in keys.tolist()], pa.string())
        return np.where(self.address_keys(texts) == keys, keys, NOT_A_CELL)

    # --- sites: w.tld, then two words.tld, then words of the list.tld ---

    @property
    def site_classes(self) -> tuple[int, int, int]:
        """The cells of each class."""
        kinds = len(SUFFIXES)
        return self.size * kinds, self.size**2 * kinds, len(self.listed) * kinds

    def site(self, key: int) -> str:
        """The text of a closed site."""
        one, two, _listed = self.site_classes
        kinds = len(SUFFIXES)
        if key < one:
            name = self.texts[key // kinds]
        elif key < one + two:
            name = "".join(self.texts[place] for place in self.places((key - one) // kinds, 2))
        else:
            name = self.listed[(key - one - two) // kinds]
        return f"{name}.{SUFFIXES[key % kinds]}"  # all classes begin at multiples of the number of suffixes

    def site_keys(self, texts: pa.StringArray) -> Ints:
        """The key of each site, NOT_A_CELL for open ones. Of two ways to split a name the shorter first
        counts.
        """
        found = self._namers.names(texts)
        one, two, _listed = self.site_classes
        first = np.array([0, 0, one, one + two])[found.form]  # of the class of each site
        key = first + found.place * len(SUFFIXES) + found.suffix
        return np.where(found.form == NO_NAME, NOT_A_CELL, key)

    @cached_property
    def _namers(self) -> Namers:
        return Namers(self.texts, self.listed, SUFFIXES)

    def canonical_sites(self, keys: Ints) -> Ints:
        """Keys of cells, NOT_A_CELL where the text of the cell is another's."""
        texts = pa.array([self.site(key) for key in keys.tolist()], pa.string())
        return np.where(self.site_keys(texts) == keys, keys, NOT_A_CELL)


def squashed(text: str) -> str:
    """A query or site as a name: without www., a suffix and blanks."""
    name = text.removeprefix("www.")
    for suffix in SUFFIXES if "." in name else ():
        name = name.removesuffix(f".{suffix}")
    return name.replace(" ", "")


def named(queries: list[str], sites: list[str]) -> Ints:
    """The cells query · |sites| + site whose site is called like the query, in rising order."""
    called: dict[str, list[int]] = {}
    for place, site in enumerate(sites):
        called.setdefault(squashed(site), []).append(place)
    cells = [
        place * len(sites) + site
        for place, query in enumerate(queries)
        for site in called.get(squashed(query), [])
    ]
    return np.array(sorted(cells), np.int64)
