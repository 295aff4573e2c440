"""The partially distributed frame (Feild 2013, chapter 4): an application answers nine questions.

The server side holds a sanitised release and nothing else. The client side holds one person's own log and
nothing else. Only requests and responses pass between them, so whoever reads an application's sheet sees what
leaves a person's computer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np


@dataclass(frozen=True)
class Sheet:
    """The nine questions of Feild 2013, §4.2, answered in words for one application."""

    artifacts: str  # what is mined from each log and released
    global_preprocessing: str  # what the server makes of the release, once
    local_preprocessing: str  # what the client makes of its own log, once
    input: str  # what happens on the client to start it
    request: str  # what the client sends; "nothing" where the server's model is downloaded whole
    server_processing: str
    response: str
    integration: str  # how the client joins the response with what it knows itself
    output: str

    def rows(self) -> list[tuple[str, str]]:
        """Question and answer, in the order of the study."""
        return [(field.name.replace("_", " "), getattr(self, field.name)) for field in fields(self)]


class GlobalSide(Protocol):
    """The server: made from a release alone."""

    def answer(self, request: Any) -> Any:
        """What anybody who asks this is told; it depends on the release and on the request alone."""


class LocalSide(Protocol):
    """The client: made from one person's log alone."""

    def requests(self) -> Sequence[Any]:
        """What has to be asked from the server."""

    def integrate(self, responses: Sequence[Any]) -> Any:
        """The output, from the server's responses and what the client knows."""


# The four settings in which every application is measured (Feild 2013, §4.1).
CENTRALISED = "centralised"  # one party holds everybody's raw log
GLOBAL_ONLY = "global"
LOCAL_ONLY = "local"
PARTIALLY_DISTRIBUTED = "partially distributed"
SETTINGS = (CENTRALISED, GLOBAL_ONLY, LOCAL_ONLY, PARTIALLY_DISTRIBUTED)


def run(server: GlobalSide, client: LocalSide) -> Any:
    """One use of an application in the partially distributed setting."""
    return client.integrate([server.answer(request) for request in client.requests()])


def join_scores(how: str, ours: Any, theirs: Any) -> Any:
    """The four integrations of two scores in [0, 1] that the study compares (Feild 2013, §5.3, §7.3)."""
    if how == "mean":
        return (ours + theirs) / 2
    if how == "product":
        return ours * theirs
    return np.minimum(ours, theirs) if how == "min" else np.maximum(ours, theirs)
