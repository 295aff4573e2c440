"""What the services' tests share: a private PostgreSQL cluster."""

import pytest

from tests.support.postgres import Cluster


@pytest.fixture(scope="session")
def postgres_url():
    cluster = Cluster()
    cluster.start()
    try:
        yield cluster.url
    finally:
        cluster.stop()
        cluster.remove()
