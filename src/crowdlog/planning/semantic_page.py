"""The figures of semantic k-anonymity on one page, with the shares as a table. For the owner's eyes."""

from __future__ import annotations

import base64

from crowdlog import __version__
from crowdlog.number_format import percent
from crowdlog.pages.render import render
from crowdlog.pages.table import Cell, PageTable
from crowdlog.planning.semantic_figures import ReleasedShares, SemanticFigures

TITLES = {
    "share.svg": "Share of queries released, against k",
    "per-user.svg": "Mean share released of a user, against k",
    "user.svg": "Share released of the user asked for, against k",
    "f-1.svg": "F with β = 1: releasing what is harmless and nothing else",
    "f-0.1.svg": "F with β = 0.1: a sensitive query released weighs more",
    "neighbourhood.svg": "The neighbourhood of the query asked for",
}


def semantic_page(figures: SemanticFigures) -> str:
    """The page as text. Pictures stand in it as images: nothing inside them can run."""
    pictures = [
        {"title": TITLES.get(name, name), "data": base64.b64encode(picture.encode()).decode()}
        for name, picture in figures.pictures.items()
    ]
    return render(
        "semantic.html",
        version=__version__,
        queries=figures.shares.queries,
        shares=_shares(figures.shares),
        pictures=pictures,
    )


def _shares(shares: ReleasedShares) -> PageTable:
    rows = [
        [Cell(f"Θ = {theta}"), *(Cell(percent(share, 1), numeric=True) for share in released)]
        for theta, released in shares.released.items()
    ]
    return PageTable("Share of queries released", ("", *(f"k = {k}" for k in shares.k)), rows)
