"""Follows every link of the dashboard and reads every form, as somebody who tries everything would."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

HOME = "http://desk.example"


@dataclass
class Form:
    method: str
    action: str
    fields: dict[str, list[str]] = field(default_factory=dict)  # name: what the page offers for it


class _Page(HTMLParser):
    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in has:
            self.links.append(urldefrag(urljoin(self.where, has["href"]))[0])
        elif tag == "form":
            action = urlsplit(urljoin(self.where, has.get("action", ""))).path
            self.forms.append(Form(has.get("method", "get").upper(), action))
        elif tag in ("input", "textarea", "select", "button") and has.get("name") and self.forms:
            self.forms[-1].fields.setdefault(has["name"], []).append(has.get("value", ""))
            self._select = has["name"]
        elif tag == "option" and self.forms:
            self.forms[-1].fields[self._select].append(has.get("value", ""))


def crawl(at) -> tuple[dict[str, int], list[Form]]:
    """The status of every address that can be reached by links, and every form on the way."""
    answers: dict[str, int] = {}
    forms: dict[tuple[str, str], Form] = {}
    waiting = [f"{HOME}/"]
    while waiting:
        where = waiting.pop()
        if where in answers or not where.startswith(HOME):
            continue
        answer = at.get(where)
        answers[where] = answer.status_code
        if "location" in answer.headers:
            waiting.append(urljoin(where, answer.headers["location"]))
        if answer.headers.get("content-type", "").startswith("text/html"):
            page = _Page(where)
            page.feed(answer.text)
            waiting += page.links
            forms |= {(form.method, form.action): form for form in page.forms}
    return answers, list(forms.values())
