"""The protocol's bytes do not change unnoticed: clients of other languages and reports under way depend on
them.
"""

import json

from tests.crowd.crypto.vectors import PATH, vectors


def test_the_stored_vectors_are_what_the_code_gives() -> None:
    assert json.loads(PATH.read_text()) == vectors()
