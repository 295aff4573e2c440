"""Shown keys and numbers of people as the tables of a release. Looks at published numbers only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from crowdlog.mechanisms.rungs.climb import ShownKeys
from crowdlog.mechanisms.rungs.people import People
from crowdlog.mechanisms.rungs.setting import Setting
from crowdlog.release.promise import Protected


def publish(
    setting: Setting,
    shown: Mapping[str, ShownKeys],
    people: Mapping[str, People],
    kept: Mapping[str, float],
    breakdowns: Mapping[str, pa.Table],
) -> Protected:
    """Most frequent first, ties by text. A count is never below `at_least`; where that says nothing, a row
    with a count of 0 or less is left out, but for words.
    """
    tables = {name: _table(shown[name], people[name], name == "words") for name in setting.tables}
    invented = {
        f"{name}: invented rows, on average, at most": round(float(shown[name].allowed), 3)
        for name in setting.tables
    }
    return Protected({**tables, **breakdowns}, {"people": setting.people, **invented, **kept})


def _table(shown: ShownKeys, people: People, all_rows: bool) -> pa.Table:
    least = np.maximum(shown.people, 1 if all_rows else 0)
    count = np.maximum(np.rint(people.count).astype(np.int64), least)
    low = np.maximum(np.floor(people.count - people.spread).astype(np.int64), shown.people)
    table = pa.table(
        {
            **{name: pa.array(texts, pa.string()) for name, texts in shown.texts.items()},
            "count": count,
            "noise": people.noise,
            "low": np.maximum(low, 0),
            "high": np.maximum(np.ceil(people.count + people.spread).astype(np.int64), least),
            "at_least": shown.people,
        }
    )
    kept = table.filter(pa.array(count > 0))
    return kept.sort_by([("count", "descending"), *((name, "ascending") for name in shown.texts)])
