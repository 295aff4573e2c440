"""The option --engine: what counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine


def _find(_context: click.Context, _option: click.Parameter, spelling: str | None) -> OpenEngine | None:
    if spelling is None:
        return None
    from crowdlog.engine.choice import find_engine

    return find_engine(spelling)


engine_option = click.option(
    "--engine",
    metavar="NAME[:OPTIONS]",
    callback=_find,
    help="What counts: duckdb (the default), for example duckdb:threads=2,memory=4GB; or spark:local[2],"
    " spark:spark://HOST:7077.",
)
