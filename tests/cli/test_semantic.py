import json

import pytest
from click.testing import CliRunner

from crowdlog.cli.semantic import command
from crowdlog.errors import InputError
from crowdlog.release.publish import open_ledger
from tests.artifacts.semantic.logs import SANYO, make_log

FIGURES = {"share.svg", "per-user.svg", "user.svg", "f-1.svg", "f-0.1.svg", "neighbourhood.svg", "index.html"}


def run(*args):
    return CliRunner().invoke(command, [str(arg) for arg in args], catch_exceptions=False)


def test_all_figures(tmp_path):
    log, out = make_log(tmp_path), tmp_path / "figures"
    (tmp_path / "labels.tsv").write_text(
        f"query\ttopic\tsensitive\n{SANYO}\tx\t0\nmy secret street\ty\t1\n", encoding="utf-8"
    )
    answer = run(
        log.path,
        "-o",
        out,
        "--user",
        "c1",
        "--labels",
        tmp_path / "labels.tsv",
        "--around",
        SANYO,
        "--theta",
        0.9,
        "--theta",
        1,
    )
    assert answer.exit_code == 0
    assert {path.name for path in out.iterdir()} == FIGURES
    assert "sanyo" in (out / "neighbourhood.svg").read_text(encoding="utf-8")
    assert "sanyo" not in answer.output
    assert answer.output.startswith("Θ = 1: k = 1: 100.0%")


def test_texts_by_file_are_on_no_command_line_and_figures_are_the_owners_alone(tmp_path):
    log, out = make_log(tmp_path), tmp_path / "figures"
    (tmp_path / "around").write_text(f"{SANYO}\n", encoding="utf-8")
    (tmp_path / "user").write_text("c1", encoding="utf-8")
    files = ["--around-file", tmp_path / "around", "--user-file", tmp_path / "user"]
    assert run(log.path, "-o", out, "--theta", 0.9, "--theta", 1, *files).exit_code == 0
    assert "sanyo" in (out / "neighbourhood.svg").read_text(encoding="utf-8")
    assert (out / "user.svg").exists()
    assert {path.stat().st_mode & 0o777 for path in out.iterdir()} == {0o600}
    assert out.stat().st_mode & 0o777 == 0o700
    with open_ledger(log) as ledger:
        assert [look.how for look in ledger.looks()] == ["semantic"]


@pytest.mark.parametrize("text", ["", "one\ntwo\n"])
def test_a_file_of_one_text_holds_one(tmp_path, text):
    log = make_log(tmp_path)
    (tmp_path / "texts").write_text(text)
    with pytest.raises(InputError, match="--around and --around-file name one text together"):
        run(log.path, "-o", tmp_path / "f", "--around-file", tmp_path / "texts")
    with pytest.raises(InputError, match="cannot be read"):
        run(log.path, "-o", tmp_path / "f", "--around-file", tmp_path / "nowhere")


def test_shares_as_json_grow_as_theta_falls(tmp_path):
    log = make_log(tmp_path)
    shares = json.loads(run(log.path, "-o", tmp_path / "f", "--json").output)
    one, nine, eight = (shares["released"][name] for name in ("1", "0.9", "0.8"))
    assert all(a <= b <= c for a, b, c in zip(one, nine, eight, strict=True))
    assert one[1] < nine[1]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("--theta", "1.5", "theta"), ("--user", "nobody", "no user"), ("--memory", "much", "size")],
)
def test_bad_input_is_one_sentence(tmp_path, option, value, said):
    log = make_log(tmp_path)
    with pytest.raises(InputError, match=said):
        run(log.path, "-o", tmp_path / "f", option, value)
