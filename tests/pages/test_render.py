"""What people typed is shown as they typed it, and never understood as HTML, script or template."""

from html.parser import HTMLParser

import jinja2
import pytest

from crowdlog.pages.bar_chart import bar_chart
from crowdlog.pages.render import TEMPLATES, _environment, render
from crowdlog.pages.table import Cell, PageTable

HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "</td></table></style></title><!--",
    "&lt;b&gt; &amp;amp;",
    "javascript:alert`1`",
)


class Reader(HTMLParser):
    """The elements and the texts of a page, as a browser understands it."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.attributes = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.texts.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    return reader


def notebook(*texts):
    """A small page with these texts in every kind of place."""
    rows = [[Cell(text, code=True), Cell(text, strong=True), Cell(text, span=2)] for text in texts]
    table = PageTable(texts[0], ["a", texts[-1], "b", "c"], rows)
    return render("notebook.html", title=texts[0], failures=list(texts), opening=[table], answers=list(texts))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_shown_and_nothing_else_happens(text):
    hostile, harmless = read(notebook(text)), read(notebook("harmless"))
    assert hostile.tags == harmless.tags
    assert [name for name, _ in hostile.attributes] == [name for name, _ in harmless.attributes]
    assert hostile.texts.count(text) >= 5
    assert "49" not in "".join(hostile.texts)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_queries_in_a_bar_chart(text):
    template = _environment().from_string('{% import "parts.html" as parts %}{{ parts.bars(chart) }}')

    def drawn(query):
        return read(template.render(chart=bar_chart("T", "query", [query], [3], of=1, noise=1.0)))

    assert drawn(text).tags == drawn("harmless").tags
    assert text in drawn(text).texts


def test_every_template_escapes():
    """No template switches escaping off, or takes a text for safe."""
    assert _environment().autoescape is True
    for path in TEMPLATES.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "safe" not in text, path.name
        assert "autoescape" not in text, path.name


def test_a_missing_value_is_an_error():
    with pytest.raises(jinja2.UndefinedError):
        render("notebook.html", title="x")


def test_nothing_is_loaded_from_elsewhere():
    for path in TEMPLATES.iterdir():
        text = (
            path.read_text(encoding="utf-8")
            .replace('src="data:', "")
            .replace('src="searched.js"', "")  # the site's own file, beside the page
            .replace("http://www.w3.org/2000/svg", "")
        )
        for way in ("src=", "@import", "url(", "http:", "https:", 'rel="stylesheet"'):
            assert way not in text, f"{path.name}: {way}"
