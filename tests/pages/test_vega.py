import re

import pytest

from crowdlog.pages.render import TEMPLATES
from crowdlog.pages.vega import PALETTE, PageChart, colours, script_text, scripts

STYLE = (TEMPLATES / "style.css").read_text(encoding="utf-8")
LIGHT, DARK = STYLE.split("@media (prefers-color-scheme: dark)")[:2]


def _value(sheet, name):
    return re.search(rf"--{name}: (#\w+);", sheet)[1]


def _luminance(colour):
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, two):
    high, low = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("sheet", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_and_lines_stand_out(sheet):
    paper, card = _value(sheet, "paper"), _value(sheet, "card")
    for name in ("ink", "soft", "warn", "caution"):
        assert min(contrast(_value(sheet, name), paper), contrast(_value(sheet, name), card)) >= 4.5, name
    assert contrast(_value(sheet, "bar"), paper) >= 3
    assert contrast(_value(sheet, "error"), _value(sheet, "bar")) >= 3
    for colour in PALETTE:
        assert contrast(colour, paper) >= 3, colour


@pytest.mark.parametrize("n", [0, 1, 8, 10, 11, 40, 200])
def test_no_colour_twice(n):
    assert len(set(colours(n))) == len(colours(n)) == n


def test_data_cannot_end_the_script():
    text = script_text({"mechanism": "</script><!--</ScRiPt>"})
    assert "</script" not in text.lower()
    assert "<!--" not in text


def test_charts_have_names_and_nothing_is_loaded_for_none():
    assert scripts([]) == []
    _library, calls = scripts([PageChart("one", "A <name>", {"mark": "bar"})])
    assert 'vegaEmbed("#one",{"mark": "bar", "description": "A <name>"},' in calls
    assert 'then(() => nameMenu("#one"))' in calls, "the menu of a chart has a name as well"
