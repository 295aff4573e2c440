import json

from click.testing import CliRunner

from crowdlog.cli import cli


def run(*arguments):
    answer = CliRunner().invoke(cli, list(map(str, arguments)))
    assert answer.exit_code == 0, (answer.output, answer.exception)
    return answer.output


def test_from_a_study_over_a_release_to_a_score(tmp_path):
    study, store, domain = tmp_path / "study.tsv", tmp_path / "store", tmp_path / "domain.txt"
    run("frustration", "synth", study, "--people", 20)
    run("frustration", "pseudo", study, "--users", 2000, "--domain", domain, "-o", store)
    mechanism = f"ClosedDomain(epsilon=1, d=20, pool='{domain}')"
    run("release", store, mechanism, "-o", tmp_path / "release", "--i-know", "--seed", 1)
    run("frustration", "train", "--crowd-log", tmp_path / "release", "-o", tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["label"]
    run("frustration", "find", study, "--model", tmp_path / "m.json", "-o", tmp_path / "f.tsv")
    found = json.loads(run("frustration", "score", tmp_path / "f.tsv", "--json"))
    assert found["people"] == 20
    assert found["f0.5"]["value"] > 0.5
    run("frustration", "vectors", study, "-o", tmp_path / "own")
    run("frustration", "train", study, "-o", tmp_path / "m2.json")
