"""When something cannot be understood: has a store that this process opened been damaged?"""

from __future__ import annotations

from crowdlog.errors import InputError
from crowdlog.log.store import OPENED, LogStore


def damage_of_opened() -> str | None:
    """The sentence about the first damaged one of the opened stores; None when all are whole, or gone."""
    for path in sorted(OPENED):
        try:
            if path.exists():
                LogStore.open(path).check()
        except InputError as error:
            return str(error)
    return None
