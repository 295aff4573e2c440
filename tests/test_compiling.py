"""Small logs are imported without compiling anything, to the same store; no loop outlives an update."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from crowdlog import compiling

ROW = "{user}\tthe query of {n}\t2006-03-0{day} 10:00:0{n}\t{rank}\t{url}\n"


def small_log(path: Path) -> Path:
    rows = [
        ROW.format(user=1000 + user, n=n, day=1 + n, rank=n or "", url=f"http://www.a{n}.com" if n else "")
        for user in range(40)
        for n in range(5)
    ]
    path.write_text("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + "".join(rows), encoding="utf-8")
    return path


def clean() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}


def run_import(log: Path, store: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crowdlog.cli", "import", str(log), "-o", str(store), "--ledger", "own"]
    return subprocess.run(command, env=clean() | environment, capture_output=True, text=True, check=True)


def test_a_small_import_compiles_nothing_and_says_nothing_of_it(tmp_path):
    log = small_log(tmp_path / "log.tsv")
    cache = tmp_path / "cache"
    cache.mkdir()
    plain = run_import(log, tmp_path / "plain", NUMBA_CACHE_DIR=str(cache))
    assert list(cache.rglob("*.nb?")) == []
    assert "Warning" not in plain.stderr
    run_import(log, tmp_path / "compiled", NUMBA_DISABLE_JIT="0")
    names = ["events.parquet", "users.parquet", "queries.parquet", "urls.parquet"]
    for name in names:
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "compiled" / name).read_bytes()


@pytest.mark.parametrize("own", [True, False])
def test_only_the_command_line_chooses_and_only_before_loops_are_loaded(own, monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "OWN_PROCESS", own)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setitem(sys.modules, "numba", sys)
    compiling.skip_if_small([str(small_log(tmp_path / "log.tsv"))])
    assert "NUMBA_DISABLE_JIT" not in os.environ


def test_large_files_folders_and_addresses_are_compiled_for(monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "OWN_PROCESS", True)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    large = tmp_path / "large.tsv"
    large.write_bytes(b"x" * (compiling.SMALL + 1))
    for places in ([str(large)], [str(tmp_path)], ["https://example.org/log.tsv"], ["-"]):
        compiling.skip_if_small(places)
        assert "NUMBA_DISABLE_JIT" not in os.environ


LOOPS = {
    "inner": """
        from typing import NamedTuple
        from numba import njit

        class {name}(NamedTuple):
            x: int

        @njit(cache=True)
        def twice(pair):
            return {factor} * pair.x
    """,
    "outer": """
        from numba import njit
        from package.inner import twice

        @njit(cache=True)
        def called(pair):
            return twice(pair)
    """,
    "__main__": """
        from pathlib import Path
        from crowdlog.compiling import forget_older
        {forget}
        from package import inner, outer
        print(outer.called(inner.{name}(21)))
    """,
}


def updated(folder, name, factor, *, forget):
    """What a package says after an update of the file whose loop the other file calls."""
    package = folder / "package"
    package.mkdir(exist_ok=True)
    call = f"forget_older(Path({str(package)!r}))" if forget else ""
    for module, text in LOOPS.items():
        text = textwrap.dedent(text).format(name=name, factor=factor, forget=call)
        file = package / f"{module}.py"
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
    run = [sys.executable, "-m", "package"]
    return subprocess.run(run, cwd=folder, env=clean(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("forget", [True, False])
def test_after_an_update_no_older_loop_is_used(tmp_path, forget):
    """numba alone keeps the old code of a loop that is called, and stumbles over a class that is gone."""
    assert updated(tmp_path, "Pair", 2, forget=forget).stdout == "42\n"
    later = updated(tmp_path, "Pair", 3, forget=forget)
    assert later.stdout == ("63\n" if forget else "42\n")
    renamed = updated(tmp_path, "Couple", 3, forget=forget)
    if forget:
        assert renamed.stdout == "63\n", renamed.stderr
    else:
        assert "AttributeError" in renamed.stderr


def test_loops_are_kept_while_no_source_is_newer(tmp_path):
    updated(tmp_path, "Pair", 2, forget=True)
    kept = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.nbi")}
    assert len(kept) == 2
    updated(tmp_path, "Pair", 2, forget=True)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.nbi")} == kept
