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
        feild_figure_6_7,
        feild_figure_7_2,
        feild_recommend,
        feild_spans,
        feild_table_5_7,
        feild_tasks,
        zhang_figure_3_5,
        zhang_figure_3_8,
        zhang_grid,
    )

    monkeypatch.setattr(feild_spans, "SPANS", feild_spans.SPANS | {"Days": [(0, 1), (1, 1)]})
    monkeypatch.setattr(feild_spans, "DS", (1, 10))
    monkeypatch.setattr(feild_figure_3_5, "KS", (5, 50))
    monkeypatch.setattr(feild_tasks, "TESTED", 5)
    monkeypatch.setattr(feild_table_5_7, "LABELLED", (0, 5))
    rows = feild_table_5_7.PRINTED_ROWS
    some = {name: rows[name] for name in rows if not name.startswith(("DP_a", "ZEALOUS", "FT_u, k = 2"))}
    monkeypatch.setattr(feild_table_5_7, "PRINTED_ROWS", some)
    monkeypatch.setattr(feild_recommend, "CONTEXTS", 10)
    monkeypatch.setattr(feild_figure_6_7, "NOISE", (0, 1, 2))
    monkeypatch.setattr(feild_figure_7_2, "SAMPLES", 2)
    monkeypatch.setattr(erola_comparison, "KS", (3,))
    monkeypatch.setattr(erola_figure_5_3, "KS", (3, 10, 50))
    monkeypatch.setattr(erola_figure_5_5, "KS", (3, 50))
    monkeypatch.setattr(erola_figure_5_5, "GROUPS", (2, 10))
    monkeypatch.setattr(erola_figure_5_5, "USERS", 30)
    monkeypatch.setattr(erola_figure_5_7, "KS", (1, 3, 50))
    for module in (zhang_grid, zhang_figure_3_5, zhang_figure_3_8):
        monkeypatch.setattr(module, "KS", (10, 50))
        monkeypatch.setattr(module, "BS", (2, 10))
