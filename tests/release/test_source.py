import pytest

from crowdlog.errors import InputError
from crowdlog.release.source import check_source


def test_another_log_is_refused():
    check_source({"crowdlog": {"source": "abc"}}, "abc")
    for label in ({"crowdlog": {"source": "other"}}, {}):
        with pytest.raises(InputError, match="not made from the log given as truth"):
            check_source(label, "abc")
