"""What a spreadsheet would run is a text, however it cuts cells; everything else stays as it is."""

import csv
import io

import pytest

from crowdlog.files.spreadsheet import defused, defused_escapes

RUN = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3+cmd|' /C calc'!A0",
    "@sum(1)",
    "\tx",
    "\n=1+1",
    "\uff1d1+1",
    "cheap;=1+1;hotel",
    'cheap;"=1+1"',
    "cheap, =1+1",
    "a,-2+3+cmd|' /C calc'!A0,b",
    "http://a.example/?q=1;@sum(1)",
]
HARMLESS = [
    *("harmless = 1", "", "'quoted'", "a-b", "c++", "me@home.example", "x;y,z", "1=1", "\u00e9t\u00e9"),
    "http://a.example/@41.8,-71.4,15z?a=b&c=+d",
    "at 51.5,-0.12",
]


def cells(text, separator):
    """As a spreadsheet cuts a line that holds the text in its second column."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(["u1", defused(text), "5"])
    lines = written.getvalue().splitlines()
    return [cell for row in csv.reader(lines, delimiter=separator) for cell in row]


def runs(cell):
    """Whether a spreadsheet takes it for a formula: it begins like one and is no number."""
    if not cell.startswith(RUN):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_is_run(text, separator):
    assert [cell for cell in cells(text, separator) if runs(cell)] == []


@pytest.mark.parametrize("text", HOSTILE)
def test_the_text_can_still_be_read(text):
    assert defused(text) != text
    assert defused(text).replace("'", "") == text.replace("'", "")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_harmless_stays(text):
    assert defused(text) == text


@pytest.mark.parametrize("text", ["=1+1", "u1,=1+1,x", 'u1;"=1+1"', "-1;+1", "plain, text", "@x"])
def test_escapes_are_read_back_as_they_were(text):
    escaped = defused_escapes(text.encode("unicode_escape"))
    assert escaped.decode("unicode_escape") == text
    for separator in ",;":
        assert not any(runs(cell) for cell in next(csv.reader([escaped.decode()], delimiter=separator)))
