"""One small log for all studies."""

from __future__ import annotations

import pytest

from crowdlog.reproduce.bench import Bench


@pytest.fixture(scope="package")
def bench(tmp_path_factory):
    return Bench(300, tmp_path_factory.mktemp("bench"))
