"""A logo goes into the page, or is refused with a sentence."""

import pytest

from crowdlog.errors import InputError
from crowdlog.pages.picture import picture


def test_a_picture_becomes_an_address(tmp_path):
    logo = tmp_path / "logo.PNG"
    logo.write_bytes(b"\x89PNG")
    assert picture(logo) == "image/png;base64,iVBORw=="


@pytest.mark.parametrize(
    ("name", "size", "why"),
    [
        ("logo.txt", 1, "A logo is a file"),
        ("logo.png", None, "cannot be read"),
        ("logo.svg", 600_000, "smaller"),
    ],
)
def test_what_is_no_small_picture_is_refused(name, size, why, tmp_path):
    logo = tmp_path / name
    if size is not None:
        logo.write_bytes(b"x" * size)
    with pytest.raises(InputError, match=why):
        picture(logo)


SVG = '<svg xmlns="http://www.w3.org/2000/svg"'


@pytest.mark.parametrize(
    "text",
    [
        f"{SVG}><path d='M0 0'/></svg>",
        f'\ufeff<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">{SVG}/>',
        f"<!DOCTYPE svg [<!ENTITY own 'x'>]>{SVG}><desc>&own;</desc></svg>",
        f"<s:svg{SVG[4:].replace('xmlns', 'xmlns:s')}/>",
    ],
)
def test_what_drawing_programs_write_is_an_svg(text, tmp_path):
    logo = tmp_path / "logo.svg"
    logo.write_text(text, encoding="utf-8")
    assert picture(logo).startswith("image/svg+xml;base64,")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no picture",
        f"{SVG}><path",
        "<svg/>",
        f"<html>{SVG}/></html>",
        f'<?xml version="1.0" encoding="none"?>{SVG}/>',
        f'<?xml version="1.0" encoding="shift_jis"?>{SVG}/>',
        f'<!DOCTYPE svg [<!ENTITY far SYSTEM "file:///dev/null">]>{SVG}>&far;</svg>',
    ],
)
def test_a_broken_svg_is_refused(text, tmp_path):
    logo = tmp_path / "logo.svg"
    logo.write_text(text)
    with pytest.raises(InputError, match="is not an SVG that browsers draw"):
        picture(logo)
