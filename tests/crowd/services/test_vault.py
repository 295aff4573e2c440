import pytest
from cryptography.exceptions import InvalidTag

from crowdlog.crowd.services.vault import RowVault
from crowdlog.privacy.randomness import SystemRandomness

RANDOM = SystemRandomness()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rows.keys"


def test_a_row_is_read_with_its_key_also_after_a_restart(path):
    vault = RowVault(path, RANDOM)
    rows = [b"row %d" % number for number in range(50)]
    kept = [vault.seal(row) for row in rows]
    vault.sync()
    vault.close()
    vault = RowVault(path, RANDOM)
    assert [vault.open(*one) for one in kept] == rows
    assert len({place for place, _sealed in kept}) == 50
    vault.close()


def test_a_forgotten_row_is_noise_and_its_place_is_used_again(path):
    vault = RowVault(path, RANDOM)
    kept = [vault.seal(b"row") for _ in range(1024)]
    vault.forget([kept[3][0]])
    assert path.read_bytes()[kept[3][0] * 32 :][:32] == bytes(32)
    with pytest.raises(InvalidTag):
        vault.open(*kept[3])
    assert vault.open(*kept[4]) == b"row"
    assert vault.seal(b"new")[0] == kept[3][0]
    assert path.stat().st_size == 1024 * 32
    vault.close()


def test_places_have_no_order(path):
    vault = RowVault(path, RANDOM)
    places = [vault.seal(b"row")[0] for _ in range(200)]
    assert places != sorted(places)
    vault.close()


def test_keys_without_rows_are_forgotten(path):
    vault = RowVault(path, RANDOM)
    kept = [vault.seal(b"row") for _ in range(10)]
    vault.keep_only({place for place, _sealed in kept[:4]})
    assert [vault.open(*one) for one in kept[:4]] == [b"row"] * 4
    for one in kept[4:]:
        with pytest.raises(InvalidTag):
            vault.open(*one)
    vault.close()
