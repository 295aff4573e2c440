"""A log of 60 people, who ask three queries each and one of their own."""

from __future__ import annotations

import pytest

from tests.support.logs import crowd_rows, make_log


@pytest.fixture(scope="package")
def log(tmp_path_factory):
    alone = [(f"u{i}", f"canary{i} private", 500, None) for i in range(60)]
    rows = crowd_rows(60, ["weather boston", "used cars", "fear of flying"]) + alone
    return make_log(tmp_path_factory.mktemp("tried"), rows)
