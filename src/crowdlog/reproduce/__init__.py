"""REPRODUCE: the papers' numbers computed again (`numbers`), and their figures and tables redone on a
synthetic log (`studies`).
"""

from __future__ import annotations

from crowdlog.reproduce.numbers import Number as Number
from crowdlog.reproduce.numbers import reproduce as reproduce
