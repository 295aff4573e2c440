"""The dashboard under attack: a crawler that tries all it finds, and requests that schemathesis makes up."""

from __future__ import annotations

import re

import pytest
import schemathesis
from hypothesis import given, settings
from schemathesis import GenerationMode

from crowdlog.web.accounts import ROLES
from crowdlog.web.app import ROUTES
from tests.web.crawler import HOME, crawl
from tests.web.visitor import client, secret, wait

pytestmark = pytest.mark.slow
MECHANISM = "Korolova(epsilon=9, delta=2e-3, d=1)"
NAME = {"type": "string", "pattern": "^[0-9a-z-]{1,20}$"}
TEXT = {"type": "string", "maxLength": 40}
EXAMPLES = 10  # per operation, role and kind of data
# What the workers of these would do is tried elsewhere; here they would only wait for each other.
LEFT_OUT = {"logout", "resume", "publish_site"}
WORDS = ("", "-1", "1e999", "../x", "\0", "<b>canary</b>", "é" * 300)


@pytest.fixture(scope="module")
def busy_desk(desk):
    """A desk with something to find: a budget, a release, a request that waits, a refused one."""
    owner, approver = client(desk, "owner"), client(desk, "approver")
    data = {"csrf": secret(owner), "epsilon": "30", "delta": "0.5", "rule": "sum"}
    assert owner.post("/logs/shop/budget", data=data).status_code == 303
    told = {"csrf": secret(owner), "mechanism": MECHANISM, "people": "300", "rhythm": "monthly"}
    asked = [owner.post("/logs/shop/new", data=told | {"out": out}) for out in ("done", "waiting", "refused")]
    numbers = [answer.headers["location"].rpartition("/")[2] for answer in asked]
    yes = {"csrf": secret(approver), "answer": "fine"}
    begun = approver.post(f"/requests/{numbers[0]}/approve", data=yes)
    wait(desk, begun.headers["location"].rpartition("/")[2])
    assert approver.post(f"/requests/{numbers[2]}/refuse", data=yes).status_code == 303
    return desk


@pytest.mark.parametrize("role", ROLES)
def test_a_crawler_finds_no_fault_and_no_text_of_the_log(busy_desk, role):
    at = client(busy_desk, role)
    answers, forms = crawl(at)
    assert {f"{HOME}/logs/shop", f"{HOME}/releases/done", f"{HOME}/requests"} <= set(answers)
    assert set(answers.values()) <= {200, 303}, {
        place: code for place, code in answers.items() if code >= 400
    }
    assert forms
    for form in forms:
        if form.action.rpartition("/")[2] in (
            "logout",
            "resume",
            "site",
            "approve",
            "stop",
            "import",
            "discard",
            "remove",
        ):
            continue
        for i, text in enumerate(WORDS):
            filled = {
                name: offered[i % len(offered)] if i % 2 and offered else text
                for name, offered in form.fields.items()
            }
            told = {"data": filled | {"csrf": secret(at)}} if form.method == "POST" else {"params": filled}
            answer = at.request(form.method, form.action, **told)
            assert answer.status_code < 500, (form, text)
            assert "CANARY" not in answer.text
            assert "<b>canary</b>" not in answer.text


def _openapi(forms) -> dict:
    """The dashboard as an OpenAPI document: its routes, with the fields that its own forms have."""
    fields: dict[str, set[str]] = {}
    for form in forms:
        fields.setdefault(re.sub(r"[^/]+", "x", form.action), set()).update(form.fields)
    paths: dict[str, dict] = {}
    for name, method, path, _handler in ROUTES:
        if name in LEFT_OUT:
            continue
        operation: dict = {
            "parameters": [
                {"name": part, "in": "path", "required": True, "schema": NAME}
                for part in re.findall(r"{(\w+)}", path)
            ],
            "responses": {"default": {"description": "a page"}},
        }
        known = sorted(fields.get(re.sub(r"[^/]+", "x", path), set()))
        if method == "POST":
            properties = {each: TEXT for each in known if each != "csrf"}
            schema = {"type": "object", "properties": properties, "required": sorted(properties)}
            operation["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}
        else:
            operation["parameters"] += [{"name": each, "in": "query", "schema": TEXT} for each in known]
        paths.setdefault(path, {})[method.lower()] = operation
    return {"openapi": "3.1.0", "info": {"title": "desk", "version": "1"}, "paths": paths}


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["good", "bad"])
@pytest.mark.parametrize("role", ["owner", "reader"])
def test_made_up_requests_never_meet_a_fault(busy_desk, role, mode):
    at = client(busy_desk, role)
    token = secret(at)
    schema = schemathesis.openapi.from_dict(_openapi(crawl(client(busy_desk, "owner"))[1]))
    answered = []
    for operation in (result.ok() for result in schema.get_all_operations()):
        if mode is GenerationMode.POSITIVE or operation.body or operation.path_parameters or operation.query:
            _try(operation, mode, at, token, answered)
    assert len(answered) >= 10 * EXAMPLES
    assert max(answered) < 500


def _try(operation, mode, at, token, answered) -> None:
    @given(operation.as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, deadline=None)
    def check(case):
        if "log" in (case.path_parameters or {}) and len(answered) % 2:
            case.path_parameters["log"] = "shop"  # every other time one that exists
        if isinstance(case.body, dict):
            case.body["csrf"] = token
        sent = case.as_transport_kwargs(base_url=HOME)
        options = {name: sent[name] for name in ("params", "data", "files") if sent.get(name)}
        answer = at.request(sent["method"], sent["url"], **options)
        assert "CANARY" not in answer.text
        answered.append(answer.status_code)

    check()
