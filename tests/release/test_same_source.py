import pytest

from crowdlog.errors import InputError
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.release.label import Label
from crowdlog.release.promise import Promise
from crowdlog.release.same_source import check_source


def test_another_log_is_refused():
    label = Label(("FTu(k=2)",), Promise(NO_GUARANTEE, ()), {}, "abc")
    check_source(label, "abc")
    with pytest.raises(
        InputError, match="not made from the log given as truth: its label names the source abc"
    ):
        check_source(label, "other")
