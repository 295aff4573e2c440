"""The operator's commands one right after the other, on real services: none needs a pause in between."""

import json

import pytest

from crowdlog.crowd.operator import Operator
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.terms import Terms
from crowdlog.errors import InputError


@pytest.fixture(scope="module")
def operator(tmp_path_factory):
    with LocalServices(tmp_path_factory.mktemp("services")) as running, running.operator() as found:
        yield found


@pytest.fixture
def collection(operator):
    """Its mining goes on; nobody has joined."""
    return operator.create(Terms("t", 5, limit=1, upload_seconds=1), 0)[0].id


def test_publishing_right_after_closing_waits_until_all_know_of_it(operator, collection, tmp_path):
    operator.close(collection)  # the aggregation server looks once a second, so it knows nothing of it yet
    assert (operator.publish(collection, tmp_path / "crowdlog", seconds=60) / "label.json").is_file()
    assert operator.phase(collection) == "ready"


def test_retrying_right_after_closing_goes_on_with_publishing(operator, collection, tmp_path):
    operator.close(collection)
    assert operator.retry(collection, tmp_path / "crowdlog") == "ready"


def test_what_is_not_closed_is_not_published(operator, collection, tmp_path):
    with pytest.raises(InputError, match="close it before it is published"):
        operator.publish(collection, tmp_path / "crowdlog")
    assert operator.retry(collection, None) == "mining"


@pytest.mark.parametrize(("url", "token"), [(3, "t"), ("http://127.0.0.1:1", None)])
def test_a_file_of_other_things_is_not_the_operators(tmp_path, url, token):
    service = {"url": "http://127.0.0.1:1", "token": "t"}
    file = tmp_path / "operator.json"
    file.write_text(
        json.dumps({"randomness": {"url": url, "token": token}, "mixes": [service], "aggregation": service})
    )
    file.chmod(0o600)
    with pytest.raises(InputError, match="does not hold the addresses"):
        Operator.from_file(file)
