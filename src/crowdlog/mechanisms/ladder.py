"""Ladder: words that many share, then the queries, word pairs and sites that these words name, then what was
clicked for them; with numbers of people, all under one (ε, δ). Proof: proofs/ladder.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.artifacts.breakdowns import BREAKDOWN_TABLES, Breakdown
from crowdlog.artifacts.kinds import TABLES as KINDS
from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.public_lists import PUBLIC_TOPICS, PUBLIC_WORDS, WORD_LIST, public_words
from crowdlog.artifacts.topics import TOPIC_WORDS, topic_names
from crowdlog.errors import InputError
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import ITEMS, PEOPLE, POOL, free, parameter, weight
from crowdlog.mechanisms.rungs import setting
from crowdlog.mechanisms.rungs.setting import Setting, expected_rows
from crowdlog.mechanisms.rungs.wording import about, expectations, steps_of_ladder
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION
from crowdlog.plan.bounds import DividedPerson, ScaledLength
from crowdlog.plan.candidates import Candidates, NamedBy, Pool, PublicValues
from crowdlog.plan.selections import GradedRounds
from crowdlog.plan.table import RowNoise, TablePlan
from crowdlog.privacy.accounting import GaussianStep, TailStep, for_ledger
from crowdlog.privacy.divided import least_mu, noise_sd
from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.rounding import sum_up
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.selection.adaptive_gaussian import NOISE_SHARE
from crowdlog.release.promise import Promise, Protected

if TYPE_CHECKING:
    from crowdlog.engine.connection import Engine
    from crowdlog.engine.holdings import Holdings
    from crowdlog.engine.log_source import LogSource
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

ASKING = 0.005  # of μ², for the number of people where it is not given
NOMINAL = 20_000  # people: what a plan is made for before they are counted
ROOM_FOR_PEOPLE = 10_000  # times as many may be counted; more people get more tables, and other shares
NAMED_BY = {
    "queries": NamedBy("words", others=True),
    "word_pairs": NamedBy("words × words"),
    "sites": NamedBy("words", others=True),
    "query_sites": NamedBy("queries × sites"),
    "word_sites": NamedBy("words × sites"),
    "pairs": NamedBy("queries × queries"),
}
PUBLIC_PEOPLE = "The number of people is public and was not read from this log."
INVENTED = (
    "Rows that nobody or one person alone has: some pass by noise, at most so many as the settings say on "
    "average. A row named by public words that one person alone has is protected by ε, not hidden by δ."
)
SHARE_HELP = "times the usual share of the privacy for "


@dataclass(frozen=True, repr=False)
class Ladder(Mechanism):
    """Choose words in many small noisy rounds; then queries, pairs of words and sites made of released words,
    as cells of a public grid; then clicks and next queries of what is released; publish how many people have
    each.
    """

    title: ClassVar[str] = (
        "Words, queries, word pairs and sites of the crowd and what was clicked for them, with numbers of "
        "people"
    )
    example: ClassVar[str] = "Ladder(epsilon=2.3, delta=1e-6, people=20000)"
    source: ClassVar[str] = (
        "crowdlog; builds on Gopi et al. 2020 (weighted Gaussian) and Swanberg et al. 2023 (DP-SIPS)"
    )
    formula: ClassVar[str] = (
        "μ the largest with δ_Gauss(ε, μ) ≤ 0.7·δ; a key of a public class with n cells is shown if "
        "weight + N(0, 1/μ_k²) > u/2 + z/μ_k, 1 − Φ(z) = f/n; an open key if > ρ"
    )
    whole_log: ClassVar[str] = (
        "it divides each person's weight among all her artifacts, which takes her whole log"
    )

    epsilon: float = shared.epsilon()
    delta: float = shared.delta(least=1e-29)
    people: int | None = parameter(
        "about how many people the log has, known without reading it; "
        "left out, 0.5 % of the privacy counts them",
        default=None,
        least=1,
        role=PEOPLE,
    )
    words: str = parameter(
        f"a public list of words, most frequent first: '{WORD_LIST}' (100,000 English words) or a file with "
        "one a line",
        default=WORD_LIST,
        role=POOL,
    )
    weight_words: float = parameter(SHARE_HELP + "choosing words", default=1.0, above=0, role=weight("keys"))
    weight_named: float = parameter(
        SHARE_HELP + "choosing queries, word pairs and sites", default=1.0, above=0, role=weight("queries")
    )
    weight_clicks: float = parameter(
        SHARE_HELP + "sites of queries and of words; 0 publishes none",
        default=1.0,
        least=0,
        role=weight("clicks"),
    )
    weight_pairs: float = parameter(
        SHARE_HELP + "reformulations; 0 publishes none", default=1.0, least=0, role=weight("pairs")
    )
    weight_counts: float = parameter(
        SHARE_HELP + "numbers of people", default=1.0, above=0, role=weight("counts")
    )
    weight_shares: float = parameter(
        SHARE_HELP + "lengths, hours, activity, released shares and topics; 0 publishes none",
        default=1.0,
        least=0,
    )
    topics: str | None = parameter(
        f"topics of queries: '{TOPIC_WORDS}' (by words of a list that comes with crowdlog), a file of lines "
        "query TAB topic that was made without this log, or none",
        default=TOPIC_WORDS,
    )
    items: int = parameter(
        "different words (clicks, reformulations) that one user supports at most: a random set",
        default=600,
        least=1,
        most=10_000,
        role=ITEMS,
    )
    items_named: int = parameter(
        "different queries, word pairs and sites together that one user supports at most: a random set",
        default=1000,
        least=1,
        most=10_000,
        role=ITEMS,
    )
    least_rows: float = parameter(
        "a table with fewer rows to expect, by ε and people, is left out",
        default=5.0,
        least=0,
        role=free(0.0),
    )
    representation: str = shared.representation()

    def check_inputs(self) -> None:
        public_words(self.words, self.representation)
        if self.topics is not None:
            topic_names(self.topics, self.representation)

    def advice(self, log: LogStore) -> tuple[str, ...]:
        """Rows to expect of each table, and which are left out."""
        return expectations(self.setting, self.epsilon, self.least_rows)

    def rows_to_expect(self, people: int) -> Mapping[str, float]:
        return {table: about(expected_rows(table, people, self.epsilon)) for table in self.setting.tables}

    @property
    def mu(self) -> float:
        """The μ of all noise together."""
        check_epsilon_delta(self.epsilon, self.delta)
        return largest_mu(self.epsilon, NOISE_SHARE * self.delta) * ROOM_BELOW

    @cached_property
    def setting(self) -> Setting:
        """The setting for the given number of people, or for 20,000 if people will be counted with noise."""
        asked = self.people is None
        found = self.setting_for(NOMINAL if self.people is None else self.people, 1 - ASKING * asked)
        # Whatever number is drawn: a share is least where all tables take part, and at an end of the lines
        # between few people and more, or among many.
        every, ends = replace(self, least_rows=0.0), (1, setting.MANY_FROM - 1, NOMINAL * ROOM_FOR_PEOPLE)
        more = [every.setting_for(people, 1 - ASKING) for people in ends * asked]
        if not all(map(_can_be_drawn, (found, *more))):
            weights = f"{self.weight_counts} and {self.weight_shares}"
            raise InputError(
                f"The 'epsilon' parameter of Ladder, or its share for counts or for shares, is too small: "
                f"got {self.epsilon}, {weights}. The noise would be larger than can be drawn."
            )
        return found

    def setting_for(self, people: int, left: float) -> Setting:
        """How the part `left` of μ² is divided for so many people."""
        weights = {
            "words": self.weight_words,
            "named": self.weight_named,
            "edges": self.weight_clicks,
            "pairs": self.weight_pairs,
            "counts": self.weight_counts,
            "shares": self.weight_shares,
        }
        wanted = {step: value > 0 for step, value in weights.items()}
        tables, left_out = setting.choose_tables(people, self.epsilon, self.least_rows, wanted)
        breakdowns = setting.choose_breakdowns(
            people, self.least_rows, self.topics is not None, self.weight_shares > 0
        )
        parts = setting.shares(people, tables, weights, breakdowns)
        mu = {step: self.mu * math.sqrt(left * part) for step, part in parts.items()}
        most = {"words": self.items, "named": self.items_named}
        bars, tails = setting.open_bars(mu, self.delta, self.epsilon, most)
        chosen = Setting(
            people,
            self.representation,
            self.words,
            self.items,
            tables,
            left_out,
            mu,
            bars,
            tails,
            self.items_named,
            breakdowns,
            self.topics,
        )
        for step in ("edges", "pairs"):  # those with open keys were looked at with their bars
            if mu[step] > 0:
                chosen.method(step).check_noise(mu[step])
        return chosen

    def protect(self, log: LogStore, randomness: Randomness, *, engine: Engine | None = None) -> Protected:
        from crowdlog.engine.holdings import holdings

        with self.open(log, engine) as source:
            people = holdings(source, self.setting.session_minutes)
            return self.of_holdings(source, people, log.info.users, randomness)

    def open(self, log: LogStore, engine: Engine | None = None) -> Any:
        from crowdlog.engine.log_source import open_log

        return open_log(log, self.representation, engine)

    def of_holdings(
        self, source: LogSource, people: Holdings, users: int, randomness: Randomness
    ) -> Protected:
        """The tables of so many users who hold this: all that is done once the log is read."""
        from crowdlog.mechanisms.rungs.breakdowns import breakdown_tables
        from crowdlog.mechanisms.rungs.climb import Climb
        from crowdlog.mechanisms.rungs.people import count_people
        from crowdlog.mechanisms.rungs.publish import publish
        from crowdlog.mechanisms.rungs.repeats import released_bands, searches_each

        chosen = self.setting if self.people is not None else self._asked(users, randomness)
        climbed = Climb(chosen, source, people, randomness)
        shown = climbed.run()
        counted, kept = count_people(shown, chosen.mu["counts"], chosen.people, randomness)
        bands = released_bands(counted)
        breakdowns = breakdown_tables(chosen, climbed, bands, randomness)
        kept = kept | searches_each(counted, bands, breakdowns)
        return publish(chosen, shown, counted, kept, breakdowns)

    def _asked(self, users: int, randomness: Randomness) -> Setting:
        """The setting for the noisy number of people."""
        noise = RoundedGaussian(1 / (self.mu * math.sqrt(ASKING)) / ROOM_BELOW)
        people = max(1, users + int(noise.draw(1, randomness)[0]))
        return self.setting_for(people, 1 - ASKING)

    def _tables(self) -> tuple[TablePlan, ...]:
        chosen = self.setting
        artifact = {table: kind for kind, (table, _columns) in KINDS.items()}
        return tuple(
            TablePlan(
                Artifact(artifact[table], chosen.representation),
                "users",
                ScaledLength(self._items(table)),
                self._selection(table),
                RowNoise(chosen.mu["counts"]),
                self._candidates(table),
            )
            for table in chosen.tables
        ) + tuple(self._breakdowns())

    def _breakdowns(self) -> Iterator[TablePlan]:
        chosen = self.setting
        wanted = [
            Breakdown(BREAKDOWN_TABLES[table], chosen.representation, chosen.topics_of(table))
            for table in chosen.breakdowns
        ]
        vectors = sum(each.vectors for each in wanted)
        for each in wanted:
            cells = len(each.values)
            noise = RoundedGaussian(noise_sd(vectors, chosen.mu["shares"]))
            yield TablePlan(each, "users", DividedPerson(cells), None, noise, PublicValues(cells))

    def _items(self, table: str) -> int:
        """Keys that one person supports at most in the selection of this table."""
        return self.items_named if setting.STEP_OF[table] == "named" else self.items

    def _candidates(self, table: str) -> Candidates:
        if table == "words":
            words = public_words(self.words, self.representation)
            return Pool(self.words, len(words), others=True)
        return NAMED_BY[table]

    def _selection(self, table: str) -> GradedRounds:
        chosen, step = self.setting, setting.STEP_OF[table]
        mu = chosen.mu[step]
        is_open = step in chosen.open_bar and table != "word_pairs"
        bar = chosen.open_bar[step] if is_open else 4 / mu
        tail = chosen.tails[step] if is_open else 0.0
        invented = chosen.invented_words if table == "words" else 0.0
        return GradedRounds(chosen.method(step), mu, bar, tail, invented)

    def promise(self) -> Promise:
        tables = self._tables()
        tails = {
            setting.STEP_OF[plan.name]: plan.selection.own_keys
            for plan in tables
            if isinstance(plan.selection, GradedRounds) and plan.selection.tail > 0
        }
        return Promise(
            approximate(self.epsilon, self.delta),
            steps_of_ladder(self.setting, self),
            tables,
            self._numbers(),
            assumptions=(
                HONEST_USERS,
                PUBLIC_WORDS,
                *((PUBLIC_PEOPLE,) if self.people else ()),
                *((PUBLIC_TOPICS,) if self.topics not in (None, TOPIC_WORDS) else ()),
            ),
            unprotected=(INJECTION, INVENTED),
            accounting=for_ledger([GaussianStep(self.mu), TailStep(sum_up(tails.values()))]),
            proof="proofs/ladder.md",
        )

    def _numbers(self) -> dict[str, float]:
        chosen = self.setting
        return {
            "mu": self.mu,
            "people": chosen.people,
            "invented words at most": chosen.invented_words,
            "invented rows of other tables at most, times released words": setting.INVENTED_SHARE,
            "invented rows of other tables, at least allowed": setting.INVENTED_LEAST,
            "invented rows of other tables, most allowed": setting.INVENTED_MOST,
            **{
                f"rows to expect: {table}": about(expected_rows(table, chosen.people, self.epsilon))
                for table in setting.TABLES
            },
        }


def _can_be_drawn(found: Setting) -> bool:
    """Whether no noise of this setting is larger than the sampler's: told before anything is charged."""
    from crowdlog.mechanisms.rungs.people import smallest_mu

    vectors = sum(Breakdown(BREAKDOWN_TABLES[table]).vectors for table in found.breakdowns)
    shares = vectors == 0 or found.mu["shares"] >= least_mu(vectors)
    return shares and found.mu["counts"] >= smallest_mu(found.people)
