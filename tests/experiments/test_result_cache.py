"""Results are kept under all that they depend on, whole or not at all."""

import pytest

from crowdlog.experiments.result_cache import ResultCache


def test_a_result_is_made_once_for_each_key_and_code(tmp_path):
    made = []

    def make():
        made.append(1)
        return {"ε": len(made)}

    cache = ResultCache(tmp_path / "kept", "code")
    assert [cache.result(["a", 1], make) for _ in range(2)] == [{"ε": 1}, {"ε": 1}]
    assert cache.result(["a", 2], make) == {"ε": 2}
    assert ResultCache(tmp_path / "kept", "other code").result(["a", 1], make) == {"ε": 3}


@pytest.mark.parametrize("left", [b"", b'{"a', b"\xff\xfe"])
def test_a_result_without_its_end_is_made_again(tmp_path, left):
    cache = ResultCache(tmp_path, "code")
    cache.keep(["a"], 1)
    cache.file(["a"]).write_bytes(left)
    assert cache.kept(["a"]) is None
    assert cache.result(["a"], lambda: 2) == 2
