"""Which texts of a log may be shown word for word under a rule of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.semantic.concepts import count_grams
from crowdlog.artifacts.semantic.reading import read_query_users, read_words
from crowdlog.artifacts.semantic.word_rule import WordRule
from crowdlog.log.store import LogStore


def allowed_queries(log: LogStore, rule: WordRule) -> NDArray[np.bool_]:
    """Queries without a blocked word, and those that `rule.users` people typed exactly so."""
    words, users = read_words(log), read_query_users(log)
    _queries, typed_by = count_grams(
        words.start, words.word, len(words.text), users.start, users.user, users.users
    )
    blocked = np.zeros(log.info.queries, bool)
    blocked[words.query[rule.blocked(words.text, typed_by)[words.word]]] = True
    found: NDArray[np.bool_] = ~blocked | (np.diff(users.start) >= rule.users)
    return found
