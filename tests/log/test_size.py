import pytest

from crowdlog.errors import InputError
from crowdlog.log.size import parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("512 mb", 512 * 10**6), ("1.5GiB", 3 << 29), ("7", 7), (1024, 1024), ("3K", 3000)],
)
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1GB", "2 parsecs", "IB"])
def test_what_is_no_size(text):
    with pytest.raises(InputError, match="size of memory"):
        parse_size(text)
