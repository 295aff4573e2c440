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
