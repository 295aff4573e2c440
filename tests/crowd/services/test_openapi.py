"""Running services against generated requests, good and bad: the answers are those their OpenAPI
documents promise, and never 500.
"""

import httpx
import pytest
import requests
import schemathesis
from hypothesis import given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crowd services")]
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 8  # per operation and kind of data


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    no_limit = ["--rate", "0"]
    options = {
        "randomness": [*no_limit, "--elements", "0"],
        "mix1": no_limit,
        "mix2": no_limit,
        "aggregation": no_limit,
    }
    with LocalServices(tmp_path_factory.mktemp("services"), options=options) as running:
        yield running


@pytest.fixture(scope="module")
def real(services):
    """Names that exist, so that more than 'not found' is tried."""
    with services.operator() as operator:
        manifest, _invitations = operator.create(Terms("fuzzed", 5), 1)
    return {"id": manifest.id, "file": "label.json"}


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["good", "bad"])
@pytest.mark.parametrize("name", ["randomness", "mix1", "aggregation"])
def test_a_service_answers_as_it_promises(services, real, name, mode):
    schema = schemathesis.openapi.from_url(f"{services.url(name)}/openapi.json")
    answered = []
    with requests.Session() as session:
        for operation in (result.ok() for result in schema.get_all_operations()):
            # otherwise there is nothing to get wrong
            if mode is GenerationMode.POSITIVE or operation.body or operation.path_parameters:
                _try(
                    operation,
                    mode,
                    session,
                    {"Authorization": f"Bearer {services.token(name)}"},
                    real,
                    answered,
                )
    assert len(answered) >= EXAMPLES
    assert max(answered) < 500
    assert services.processes[name].poll() is None


def _try(operation, mode, session, caller, real, answered) -> None:
    @given(operation.as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES)
    def check(case):
        if mode is GenerationMode.POSITIVE or operation.body:
            case.path_parameters = {parameter: real[parameter] for parameter in case.path_parameters or {}}
        answer = case.call(session=session, headers=caller, timeout=300)
        case.validate_response(answer, checks=CHECKS)
        answered.append(answer.status_code)

    check()


def test_every_refusal_is_one_sentence(services, real):
    for name, path in [
        ("randomness", "evaluate"),
        ("mix1", "envelopes"),
        ("mix2", "batch"),
        ("aggregation", "credentials"),
    ]:
        url = f"{services.url(name)}/collections/{real['id']}/{path}"
        answer = httpx.post(url, content=b"secret-canary", timeout=60)
        assert answer.status_code == 400
        assert set(answer.json()) == {"error"}
        assert "canary" not in answer.text
