"""All steps of one ladder, from what people hold to shown keys with their texts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.public_lists import public_word_pairs, public_words
from crowdlog.artifacts.query_file import ORIGINAL
from crowdlog.engine.holdings import Holdings, follow_one, pairs_held
from crowdlog.mechanisms.rungs import columns
from crowdlog.mechanisms.rungs.alike import alike
from crowdlog.mechanisms.rungs.choice import Chosen, Column, choose, quantile
from crowdlog.mechanisms.rungs.classes import ShownWords, named
from crowdlog.mechanisms.rungs.queries import THREE_WORDS, query_column
from crowdlog.mechanisms.rungs.word_cells import clicked_cells, clicked_queries
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.graded import HALF, Graded
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Ints

if TYPE_CHECKING:
    from crowdlog.engine.log_source import LogSource
    from crowdlog.mechanisms.rungs.setting import Setting


@dataclass(frozen=True)
class ShownKeys:
    """The shown keys of one table in the order of their texts: texts by column, at least so many people, and
    who holds them (all of her keys, not only those of the choice).
    """

    texts: dict[str, list[str]]
    people: Ints
    held: Incidence
    allowed: float  # invented rows, on average, at most

    @property
    def size(self) -> int:
        return len(self.people)

    def __repr__(self) -> str:
        return f"ShownKeys({self.size} keys)"


@dataclass
class Climb:
    """One run. What is shown so far is public for the steps to come; nothing else is."""

    setting: Setting
    source: LogSource
    holdings: Holdings
    randomness: Randomness
    shown: dict[str, ShownKeys] = field(default_factory=dict)

    def run(self) -> dict[str, ShownKeys]:
        self._words()
        if self.setting.named:
            self._named_by_words()
        if self.setting.edges:
            self._edges()
        if "pairs" in self.setting.tables:
            self._pairs()
        return self.shown

    def _graded(self, step: str) -> Graded:
        return Graded(self.setting.method(step), self.setting.mu[step])

    # --- the first step ---

    def _words(self) -> None:
        setting = self.setting
        listed = public_words(setting.words, setting.representation)
        column, texts = columns.word_column(self.holdings, listed, setting.invented_words)
        graded = self._graded("words")
        chosen = choose(graded, [column], setting.open_bar["words"], self.randomness)["words"]
        names: list[Any] = texts.take(chosen.item).to_pylist()
        order = np.array(sorted(range(len(names)), key=lambda i: names[i]), np.int64)
        chosen, names = chosen.taken(order), [names[i] for i in order]
        place = np.full(len(texts), -1, np.int64)
        place[chosen.item] = np.arange(len(names))
        self.word_place = place
        self.words = ShownWords(tuple(names), listed, setting.representation == ORIGINAL)
        held = self._holders(column, chosen)
        self.shown["words"] = ShownKeys({"word": names}, chosen.people, held, column.invented)

    def _holders(self, column: Column, chosen: Chosen) -> Incidence:
        """Who holds the chosen keys, in this order."""
        target = np.full(column.held.size, -1, np.int32)
        target[chosen.item[chosen.item >= 0]] = np.flatnonzero(chosen.item >= 0)
        return follow_one(column.held, target, len(chosen.key))

    # --- the second step: queries, word pairs and sites in one selection ---

    def _named_by_words(self) -> None:
        setting, holdings, words = self.setting, self.holdings, self.words
        invented = setting.invented(words.size)
        graded = self._graded("named")
        open_bar = setting.open_bar["named"]
        listed = self._listed_pairs()
        longest = longest_closed(graded, open_bar, words.size, invented * THREE_WORDS)
        queries, ids = query_column(holdings, self.word_place, words, listed, invented, longest)
        candidates = {
            "queries": queries,
            "word_pairs": columns.pair_column(holdings, self.word_place, words, listed, invented),
            "sites": columns.site_column(holdings, words, invented),
        }
        taking = [candidates[name] for name in candidates if name in setting.tables]
        chosen = choose(graded, taking, open_bar, self.randomness) if taking else {}
        for column in taking:
            self._show(column, chosen[column.table], ids)

    def _listed_pairs(self) -> Ints:
        """Cells of two released words that the public list of word pairs holds."""
        place, size = self.words.place, self.words.size
        cells = {
            place[first] * size + place[second]
            for first, second in public_word_pairs()
            if first in place and second in place
        }
        return np.array(sorted(cells), np.int64)

    def _show(self, column: Column, chosen: Chosen, ids: Any) -> None:
        texts = getattr(self, f"_texts_of_{column.table}")(chosen, ids)
        rows = list(zip(*texts.values(), strict=True))
        order = np.array(sorted(range(len(rows)), key=rows.__getitem__), np.int64)
        chosen = chosen.taken(order)
        named_ = {name: [each[i] for i in order] for name, each in texts.items()}
        self.shown[column.table] = ShownKeys(
            named_, chosen.people, self._holders(column, chosen), column.invented
        )
        if column.table == "queries":
            self.query_place = _placed(chosen, ids, len(self.holdings.words.offsets) - 1)
        if column.table == "sites":
            self.site_place = _placed(chosen, np.arange(len(column.key)), len(column.key))

    def _texts_of_queries(self, chosen: Chosen, ids: Any) -> dict[str, list[str]]:
        asked = np.append(ids, -1)[chosen.item]  # item −1 is a cell that nobody holds
        known = self.source.query_texts(asked[asked >= 0]).to_pylist()
        texts = iter(known)
        return {
            "query": [
                next(texts) if query >= 0 else self.words.query(key)
                for query, key in zip(asked.tolist(), chosen.key.tolist(), strict=True)
            ]
        }

    def _texts_of_word_pairs(self, chosen: Chosen, _ids: Any) -> dict[str, list[str]]:
        texts, size = self.words.texts, self.words.size
        first, second = ([texts[i] for i in part] for part in (chosen.key // size, chosen.key % size))
        return {"word": first, "next_word": second}

    def _texts_of_sites(self, chosen: Chosen, _ids: Any) -> dict[str, list[str]]:
        texts = self.holdings.sites.texts
        return {
            "site": [
                texts[item].as_py() if item >= 0 else self.words.site(key)
                for item, key in zip(chosen.item.tolist(), chosen.key.tolist(), strict=True)
            ]
        }

    # --- the third step: (query, site) and (word, site) ---

    def _edges(self) -> None:
        setting, holdings = self.setting, self.holdings
        invented = setting.invented(self.words.size)
        sites = self.shown["sites"].texts["site"]
        site = self.site_place[holdings.sites.site][holdings.rows.click_url]  # of each click
        graded = self._graded("edges")
        taking = []
        owners = {"word_sites": list(self.words.texts)}
        if "query_sites" in setting.tables:  # sites of words may be worth showing where queries are not
            owners = {"query_sites": self.shown["queries"].texts["query"], **owners}
        for table, texts in owners.items():
            if table in setting.tables:
                held = self._clicked_by_query(site) if table == "query_sites" else self._clicked_by_word(site)
                size, called = (len(texts), len(sites)), named(texts, sites)
                taking.append(columns.edge_column(table, *held, size, called, invented))
        chosen = choose(graded, taking, math.inf, self.randomness)
        for column in taking:
            name = "query" if column.table == "query_sites" else "word"
            self._show_edges(column, chosen[column.table], (name, "site"), owners[column.table], sites)

    def _clicked_by_query(self, site: Any) -> tuple[Ints, Ints]:
        """Where each person's cells begin, and the cells."""
        rows, size = self.holdings.rows, self.shown["sites"].size
        return rows.click_starts, clicked_queries(rows.click_query, site, self.query_place, size)

    def _clicked_by_word(self, site: Any) -> tuple[Ints, Ints]:
        """Every released word of the query with the site, where the site is released."""
        rows, words = self.holdings.rows, self.holdings.words
        size = self.shown["sites"].size
        return clicked_cells(rows.click_starts, rows.click_query, site, words, self.word_place, size)

    def _show_edges(
        self, column: Column, chosen: Chosen, names: tuple[str, str], first: list[str], second: list[str]
    ) -> None:
        chosen = chosen.taken(np.argsort(chosen.key))  # both sets lie in the order of their texts
        places = chosen.key // max(len(second), 1), chosen.key % max(len(second), 1)
        texts = {names[0]: [first[i] for i in places[0]], names[1]: [second[i] for i in places[1]]}
        held = self._holders(column, chosen)
        self.shown[column.table] = ShownKeys(texts, chosen.people, held, column.invented)

    # --- reformulations, in a selection of their own ---

    def _pairs(self) -> None:
        setting = self.setting
        starts, one, other = pairs_held(self.holdings.rows, self.query_place)
        queries = self.shown["queries"].texts["query"]
        size = len(queries)
        graded = self._graded("pairs")
        invented = setting.invented(self.words.size)
        cells = one * size + other
        column = columns.edge_column("pairs", starts, cells, (size, size), alike(queries), invented)
        chosen = choose(graded, [column], math.inf, self.randomness)["pairs"]
        self._show_edges(column, chosen, ("query", "next_query"), queries, queries)


def longest_closed(graded: Graded, open_bar: float, size: int, allowed: float) -> int:
    """Queries of three words are cells of a grid unless their bar would lie above that of open keys."""
    z = quantile(np.array([allowed / max(size, 1) ** 3]))[0]
    return 3 if HALF + z / graded.mu <= open_bar and size**3 < 2**60 else 2


def _placed(chosen: Chosen, ids: Any, size: int) -> Any:
    """For each id of the log its place among the shown, −1 if it is not there."""
    place = np.full(size, -1, np.int32)
    held = chosen.item >= 0
    own = ids[chosen.item[held]]
    place[own[own >= 0]] = np.flatnonzero(held)[own >= 0]
    return place
