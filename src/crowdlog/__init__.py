"""crowdlog publishes what the crowd searched for, never what a person did."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from crowdlog.comparison import compare as compare
    from crowdlog.log.importer import import_log as import_log
    from crowdlog.log.store import LogStore as LogStore
    from crowdlog.mechanisms import parse as parse
    from crowdlog.mechanisms.a_click import AClick as AClick
    from crowdlog.mechanisms.a_session import ASession as ASession
    from crowdlog.mechanisms.closed_domain import ClosedDomain as ClosedDomain
    from crowdlog.mechanisms.crowd import Crowd as Crowd
    from crowdlog.mechanisms.dp_a import DPa as DPa
    from crowdlog.mechanisms.dp_u import DPu as DPu
    from crowdlog.mechanisms.ft_a import FTa as FTa
    from crowdlog.mechanisms.ft_u import FTu as FTu
    from crowdlog.mechanisms.hashed_tokens import HashedTokens as HashedTokens
    from crowdlog.mechanisms.k_anonymity import KAnonymity as KAnonymity
    from crowdlog.mechanisms.ka import KA as KA
    from crowdlog.mechanisms.keys import Keys as Keys
    from crowdlog.mechanisms.korolova import Korolova as Korolova
    from crowdlog.mechanisms.pseudonyms import Pseudonyms as Pseudonyms
    from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity as SemanticKAnonymity
    from crowdlog.mechanisms.split_sessions import SplitSessions as SplitSessions
    from crowdlog.mechanisms.zealous import Zealous as Zealous
    from crowdlog.release.folder import Release as Release

_PLACES = {
    "compare": "comparison",
    "import_log": "log.importer",
    "LogStore": "log.store",
    "parse": "mechanisms",
    "Release": "release.folder",
}


def __getattr__(name: str) -> Any:
    """Names of the Python interface are loaded when they are used: importing crowdlog alone takes a
    millisecond.
    """
    if name in _PLACES:
        return getattr(importlib.import_module(f"crowdlog.{_PLACES[name]}"), name)
    if name[:1].isupper():
        mechanisms = importlib.import_module("crowdlog.mechanisms")
        if name in mechanisms.MECHANISMS:
            return mechanisms.find(name)
    raise AttributeError(f"module 'crowdlog' has no attribute {name!r}")
