"""A release put together: tables, label and pages, ready to be written. Everything that publishes does it
here: mechanisms, collections, experiments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crowdlog.privacy.randomness import Randomness
from crowdlog.release.explain import explain, label_page
from crowdlog.release.label import CENTRAL, Label, Model
from crowdlog.release.page import release_page
from crowdlog.release.promise import Promise, Protected, Protects

if TYPE_CHECKING:
    import pyarrow as pa

NOT_PRIVATE = (
    "NOT PRIVATE: the noise came from a fixed seed and can be repeated by anyone. Never publish this release."
)


@dataclass(frozen=True)
class Draft:
    """All files of a release before they are written. `pages`: texts by file name."""

    label: Label
    tables: Mapping[str, pa.Table]
    pages: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Draft({', '.join(self.label.mechanisms)})"


def assemble(
    mechanisms: Sequence[Protects],
    promise: Promise,
    protected: Protected,
    randomness: Randomness,
    *,
    source: str,
    charge: int = 0,
    warnings: Sequence[str] = (),
    model: Model = CENTRAL,
    ledger_head: str = "",
    looks: Sequence[str] = (),
) -> Draft:
    """The release of what was drawn. `promise` is that of all mechanisms together."""
    first = mechanisms[0]
    label = Label(
        tuple(map(repr, mechanisms)),
        promise,
        {name: table.num_rows for name, table in protected.tables.items()},
        source,
        charge,
        randomness.private,
        (*(() if randomness.private else (NOT_PRIVATE,)), *warnings),
        protected.notes,
        first.title,
        first.source,
        model,
        ledger_head=ledger_head,
        looks=tuple(looks),
    )
    pages = {
        "label.md": label_page(label),
        "explanation.md": explain(label),
        "index.html": release_page(label, protected.tables),
    }
    return Draft(label, protected.tables, pages)
