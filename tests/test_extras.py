"""What the core does without, and what is said where it is missing."""

import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from crowdlog import extras
from crowdlog.errors import InputError

ROOT = Path(__file__).resolve().parents[1]

WITHOUT = """
import importlib.abc, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
sys.argv[0] = "crowdlog"
from crowdlog.cli import main
main()
"""
MISSING = {module for extra in extras.MODULES.values() for module in extra} | {"pandas"}


def without_extras(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(missing=MISSING), *command],
        capture_output=True,
        text=True,
        check=False,
    )


def test_modules_of_extras_belong_to_packages_that_pyproject_names():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    owners = packages_distributions()
    for extra, modules in extras.MODULES.items():
        listed = " ".join(told["optional-dependencies"][extra]).lower()
        for module in modules:
            if module in owners:
                assert owners[module][0].lower().replace("_", "-") in listed, (extra, module)
        core = " ".join(told["dependencies"])
        assert not any(f'"{module}' in core for module in modules)


def test_what_ibis_needs_for_duckdb_is_in_the_core():
    """All but pandas: a package that another one happens to bring would hide that it is missing."""
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    named = {Requirement(line).name for line in core}
    wanted = {
        found.name
        for line in requires("ibis-framework")
        if (found := Requirement(line)).marker is not None and found.marker.evaluate({"extra": "duckdb"})
    }
    assert wanted - named == {"pandas"}


@pytest.mark.slow
def test_the_core_imports_releases_and_exports_without_any_extra(tmp_path):
    log = tmp_path / "log.tsv"
    rows = [f"{user}\tnews\t2006-03-01 10:00:0{user % 10}\t1\thttp://www.a.com\n" for user in range(300)]
    log.write_text("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + "".join(rows), encoding="utf-8")
    store, out = str(tmp_path / "store"), str(tmp_path / "out")
    korolova, crowd = "Korolova(epsilon=2.3, delta=1e-4, d=5)", "Crowd(epsilon=1, delta=1e-4)"
    steps = [
        ("import", str(log), "-o", store, "--ledger", "own", "--users-are-fine"),
        ("show", store),
        ("check", store),
        ("guide", store, "--people", "300", "--how-often", "once", "--for", "public", "--what", "queries"),
        ("plan", korolova),
        ("plan", store, crowd),
        ("budget", store, "--epsilon", "30", "--delta", "1e-2"),
        ("release", store, korolova, "-o", out),
        ("release", store, crowd, "-o", f"{out}2"),
        ("release", store, "Keys(epsilon=1, delta=1e-4)", "-o", f"{out}3", "--i-know"),
        ("release", store, "Ladder(epsilon=1, delta=1e-4, people=300)", "-o", f"{out}4", "--i-know"),
        ("budget", store),
        ("label", out),
        ("explain", out),
        ("page", out, "-o", str(tmp_path / "page.html")),
        ("verify", out),
        ("export", out, "-o", str(tmp_path / "tables"), "--format", "tsv"),
        ("mechanisms",),
    ]
    for step in steps:
        done = without_extras(*step)
        assert done.returncode == 0, (step, done.stderr[-1500:])


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (("synth", "OUT", "--users", "5"), "text"),
        (("audit", "Crowd(epsilon=1, delta=1e-6)"), "measure"),
        (("release", "STORE", "Crowd(epsilon=1, delta=1e-6, representation='heavy')", "-o", "OUT"), "text"),
        (("study", "check", "OUT"), "crowd"),
    ],
)
def test_what_needs_more_says_which_extra(command, extra, tmp_path):
    done = without_extras(*(str(tmp_path / word) if word in ("OUT", "STORE") else word for word in command))
    assert done.returncode == 1
    assert f"pip install 'crowdlog[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_package_is_refused_before_anything_is_paid(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda _module: None)
    with pytest.raises(InputError, match=r"crowdlog\[text\]"):
        extras.need("text")


def test_other_missing_modules_get_no_advice():
    assert extras.advice("nothing_of_ours") is None
    assert extras.advice(None) is None
    assert "crowdlog[report]" in str(extras.advice("altair.utils"))
