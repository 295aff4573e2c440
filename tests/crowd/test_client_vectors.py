"""The stored vectors are what this package gives; the TypeScript client is tested against the same file."""

from tests.crowd.client_vectors import PATH, written


def test_the_vectors_are_those_of_this_version():
    assert PATH.read_text() == written()
