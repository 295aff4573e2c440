import base64
import re

from crowdlog.planning.semantic_figures import ReleasedShares, SemanticFigures
from crowdlog.planning.semantic_page import semantic_page

HOSTILE = "<svg><script>alert(1)</script></svg>"


def test_pictures_are_images_and_shares_a_table():
    shares = ReleasedShares(1234, (1, 10), {"1": (1.0, 0.25), "0.9": (1.0, 0.00001)})
    page = semantic_page(SemanticFigures(shares, {"share.svg": HOSTILE, "new.svg": "<svg/>"}))
    assert "1,234 queries" in page
    assert re.findall(r'class="n">([\d.]+%)<', page) == ["100.0%", "25.0%", "100.0%", "0.001%"]
    assert "<script" not in page
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', page)
    assert [base64.b64decode(data).decode() for data in found] == [HOSTILE, "<svg/>"]
    assert 'alt="new.svg"' in page
