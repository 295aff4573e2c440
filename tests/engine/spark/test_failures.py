"""What Spark says becomes one sentence, and nothing of it is quoted."""

import pytest

from crowdlog.engine.spark.failures import sentence, told_plainly
from crowdlog.errors import InputError

CANARY = "canary query of somebody"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"java.lang.OutOfMemoryError: Java heap space {CANARY}", "ran out of memory on Spark"),
        (
            "ExecutorLostFailure (executor 3 exited caused by one of the running tasks) exit code 137",
            "ran out of",
        ),
        (f"duckdb.OutOfMemoryException: Out of Memory Error {CANARY}", "ran out of memory on Spark"),
        (f"Python worker exited unexpectedly (crashed). {CANARY}", "lost its Python workers"),
        (f"ExecutorLostFailure (executor 3 exited: worker lost) {CANARY}", "lost its machines"),
        (
            f"Traceback …\ncrowdlog.errors.InputError: a.csv is cut short.\n\n\tat java {CANARY}",
            "a.csv is cut short.",
        ),
    ],
)
def test_causes_that_can_be_mended(said, told):
    error = sentence("The import", said)
    assert isinstance(error, InputError)
    assert told in str(error)
    assert CANARY not in str(error)


def test_other_causes_are_not_quoted():
    from pyspark.errors import PySparkException

    with pytest.raises(RuntimeError) as caught, told_plainly("The import", ""):
        raise PySparkException(f"[CAST_INVALID_INPUT] '{CANARY}' of type STRING cannot be cast")
    assert str(caught.value) == "The import failed on Spark"
    assert caught.value.__suppress_context__
