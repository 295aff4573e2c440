"""One small log for all studies."""

from __future__ import annotations

import pytest

from crowdlog.reproduce.bench import Bench


@pytest.fixture(scope="package")
def bench(tmp_path_factory):
    return Bench(300, tmp_path_factory.mktemp("bench"))


@pytest.fixture
def fewer_releases(monkeypatch):
    """Two days instead of 31, two draws of the noise instead of ten, fewer values of k and d: the same code
    in a tenth of the time.
    """
    from crowdlog.reproduce.studies import feild_figure_3_5, feild_figure_3_7, feild_spans, korolova_tables

    monkeypatch.setattr(feild_spans, "SPANS", feild_spans.SPANS | {"Days": [(0, 1), (1, 1)]})
    monkeypatch.setattr(feild_spans, "DS", (1, 10))
    monkeypatch.setattr(feild_figure_3_5, "KS", (5, 50))
    monkeypatch.setattr(korolova_tables, "SEEDS", (1, 2))
    monkeypatch.setattr(feild_figure_3_7, "SEEDS", (1, 2))
