"""Result pages of search engines, written by us: the parts that the engine files name, and nothing else."""

from __future__ import annotations

import base64
from html import escape
from urllib.parse import parse_qs, quote, urlsplit

RESULTS = 10
SERVED: dict[str, bytes] = {}  # what a test serves at a host of its own
PAGES: dict[str, str] = {}  # and as a page at an address of its own


def answer_for(url: str) -> tuple[int, str, bytes]:
    """What the proxy answers for any address outside this machine."""
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    if url in PAGES:
        return 200, "text/html; charset=utf-8", PAGES[url].encode()
    if parts.hostname in ENGINES and (query := (asked.get("q") or asked.get("p") or [""])[0]):
        return 200, "text/html; charset=utf-8", ENGINES[parts.hostname](query, asked).encode()
    if parts.hostname in SERVED:
        return 200, "application/json", SERVED[parts.hostname]
    if (parts.hostname or "").endswith((".example", "r.search.yahoo.com")) or parts.path == "/ck/a":
        links = "".join(f"<p><a href='https://page{n}.example/'>Page {n}</a></p>" for n in range(3))
        return 200, "text/html; charset=utf-8", f"<title>{escape(url)}</title>{links}".encode()
    return 404, "text/plain", b""


def target(query: str, rank: int) -> str:
    """The address of a result: a site of its own for each query and rank."""
    return f"https://{'-'.join(query.lower().split())}-{rank}.example/"


def _page(query: str, engine: str, results: str) -> str:
    head = f"<head><title>{escape(query)} - {engine}</title></head>"
    return f"<!doctype html><html>{head}<body>{results}</body></html>"


def _numbered(asked: dict[str, list[str]], name: str, first: int, step: int = 1) -> range:
    start = 1 + (int((asked.get(name) or [str(first)])[0]) - first) * step
    return range(start, start + RESULTS)


def _google(query: str, asked: dict[str, list[str]]) -> str:
    items = "".join(
        f"<div class='g'><div><a href='{target(query, n)}'><h3>{escape(query)} {n}</h3></a></div></div>"
        for n in _numbered(asked, "start", 0)
    )
    more = f"<a id='next' href='/search?q={quote(query)}&start=10'>Next</a>"
    return _page(query, "Google", f"<div id='rso'>{items}</div>{more}")


def _bing(query: str, asked: dict[str, list[str]]) -> str:
    def link(n: int) -> str:
        hidden = base64.urlsafe_b64encode(target(query, n).encode()).decode().rstrip("=")
        return f"https://www.bing.com/ck/a?!&u=a1{hidden}&ntb=1"

    items = "".join(
        f"<li class='b_algo'><h2><a href='{link(n)}'>{escape(query)} {n}</a></h2><p>text</p></li>"
        for n in _numbered(asked, "first", 1)
    )
    return _page(query, "Bing", f"<ol id='b_results'>{items}</ol>")


def _duckduckgo(query: str, _asked: dict[str, list[str]]) -> str:
    """Results come later, as there."""
    items = "".join(
        f"<article data-testid='result'><h2><a data-testid='result-title-a' href='{target(query, n)}'>"
        f"{escape(query)} {n}</a></h2></article>"
        for n in range(1, RESULTS + 1)
    )
    show = "document.querySelector('main').append(document.querySelector('#later').content)"
    script = f"<script>setTimeout(() => {show}, 200);</script>"
    return _page(query, "DuckDuckGo", f"<main></main><template id='later'>{items}</template>{script}")


def _yahoo(query: str, asked: dict[str, list[str]]) -> str:
    items = "".join(
        f"<li><div class='algo'><div class='compTitle'><a href='https://r.search.yahoo.com/_ylt=A/RV=2/RU="
        f"{quote(target(query, n), safe='')}/RK=2/RS=x-'><h3>{escape(query)} {n}</h3></a></div></div></li>"
        for n in _numbered(asked, "b", 1)
    )
    return _page(query, "Yahoo", f"<div id='web'><ol>{items}</ol></div>")


def _brave(query: str, asked: dict[str, list[str]]) -> str:
    items = "".join(
        f"<div class='snippet' data-type='web'><a href='{target(query, n)}'><div class='title'>"
        f"{escape(query)} {n}</div></a></div>"
        for n in _numbered(asked, "offset", 0, 20)
    )
    return _page(query, "Brave", f"<div id='results'>{items}</div>")


ENGINES = {
    "www.google.com": _google,
    "www.bing.com": _bing,
    "duckduckgo.com": _duckduckgo,
    "search.yahoo.com": _yahoo,
    "search.brave.com": _brave,
}
ADDRESS = {
    "google": "https://www.google.com/search?q={}",
    "bing": "https://www.bing.com/search?q={}",
    "duckduckgo": "https://duckduckgo.com/?q={}",
    "yahoo": "https://search.yahoo.com/search?p={}",
    "brave": "https://search.brave.com/search?q={}",
}
RESULT = {
    "google": "#rso a:has(h3)",
    "bing": "#b_results h2 a",
    "duckduckgo": "a[data-testid=result-title-a]",
    "yahoo": ".compTitle a",
    "brave": ".snippet a",
}
