"""One small log for all studies."""

from __future__ import annotations

import pytest

from crowdlog.reproduce.bench import Bench


@pytest.fixture(scope="package")
def bench(tmp_path_factory):
    return Bench(300, tmp_path_factory.mktemp("bench"))


@pytest.fixture
def fewer_releases(monkeypatch):
    """Two days instead of 31, fewer values of k, d, K and b: the same code in a tenth of the time."""
    from crowdlog.reproduce.studies import (
        erola_comparison,
        erola_figure_5_3,
        erola_figure_5_5,
        erola_figure_5_7,
        feild_figure_3_5,
        feild_spans,
        zhang_figure_3_5,
        zhang_figure_3_8,
        zhang_grid,
    )

    monkeypatch.setattr(feild_spans, "SPANS", feild_spans.SPANS | {"Days": [(0, 1), (1, 1)]})
    monkeypatch.setattr(feild_spans, "DS", (1, 10))
    monkeypatch.setattr(feild_figure_3_5, "KS", (5, 50))
    monkeypatch.setattr(erola_comparison, "KS", (3,))
    monkeypatch.setattr(erola_figure_5_3, "KS", (3, 10, 50))
    monkeypatch.setattr(erola_figure_5_5, "KS", (3, 50))
    monkeypatch.setattr(erola_figure_5_5, "GROUPS", (2, 10))
    monkeypatch.setattr(erola_figure_5_5, "USERS", 30)
    monkeypatch.setattr(erola_figure_5_7, "KS", (1, 3, 50))
    for module in (zhang_grid, zhang_figure_3_5, zhang_figure_3_8):
        monkeypatch.setattr(module, "KS", (10, 50))
        monkeypatch.setattr(module, "BS", (2, 10))
