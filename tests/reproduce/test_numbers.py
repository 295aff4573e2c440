import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.reproduce import Number, reproduce


@pytest.mark.parametrize("number", reproduce(), ids=lambda number: number.name)
def test_published_number(number):
    assert number.ok, f"expected {number.expected}, got {number.got}"


def test_a_wrong_number_is_off():
    assert not Number("x", "5.70", 5.71, 0.005).ok


def test_the_command_picks_by_name_and_says_ok():
    result = CliRunner().invoke(cli, ["reproduce", "table 1"])
    assert result.exit_code == 0
    assert "14 of 14 OK" in result.output
