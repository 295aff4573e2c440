"""What every test shares: hypothesis draws the same examples each time, and is never timed (the machine may
be busy).
"""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from crowdlog.log.store import OPENED

pytest_plugins = ["tests.support.hand_made"]

settings.register_profile(
    "crowdlog",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("crowdlog")


@pytest.fixture(autouse=True)
def no_store_opened() -> Iterator[None]:
    """When a command fails, the stores that its process opened are checked; those that other tests damaged
    are none of this one's."""
    yield
    OPENED.clear()
