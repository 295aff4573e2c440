import random
import re
from pathlib import Path

import pytest

from crowdlog.crowd.simulate import first_rows, simulate, synthetic_crowd
from crowdlog.release.folder import Release

PEOPLE, K = 30, 6


def _log(path: Path) -> None:
    """Thirty people who share some queries; each also has one that is hers alone."""
    draw = random.Random(5)
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(1, PEOPLE + 1):
        shared = [f"shared {min(int(draw.expovariate(0.25)), 20)}" for _ in range(4)]
        lines += [
            f"{user}\t{query}\t2006-03-01 00:{minute:02}:00\t\t"
            for minute, query in enumerate([*shared, f"canary{user}canary"])
        ]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("cover", [False, True])
def test_a_crowd_over_http_publishes_what_ftu_gives_on_the_union(tmp_path, cover):
    _log(tmp_path / "log.tsv")
    report = simulate(tmp_path / "log.tsv", k=K, workers=1, folder=tmp_path / "run", cover=cover)
    assert report["equal"]
    assert (report["of these empty"] > 0) == cover
    assert report["clients"] == PEOPLE
    assert report["queries published"] == report["queries published by FTu on the union"] > 3
    assert report["queries published below k"] == 0
    assert report["received"] == report["reports"]  # though every tenth client sent everything twice
    services = [path for path in (tmp_path / "run" / "services").rglob("*") if path.is_file()]
    assert len(services) > 10
    assert not [path.name for path in services if b"canary" in path.read_bytes()]
    queries = Release.open(tmp_path / "run" / "crowdlog").queries()
    assert "canary" not in str(queries)


@pytest.mark.slow
def test_a_nested_crowd_publishes_both_tables_of_ftu(tmp_path):
    """Everybody's clicks of a shared query go to one of three addresses, so that some clicks stay below the
    bar their query is above.
    """
    draw, lines = random.Random(6), ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(1, PEOPLE + 1):
        for minute in range(4):
            query, url = (
                f"shared {min(int(draw.expovariate(0.4)), 8)}",
                f"http://canary{draw.choice('aab')}.example",
            )
            lines.append(f"{user}\t{query}\t2006-03-01 00:{minute:02}:00\t1\t{url}")
        lines.append(f"{user}\tcanary{user}canary\t2006-03-01 01:00:00\t1\thttp://canary{user}.example")
    (tmp_path / "log.tsv").write_text("\n".join(lines) + "\n")
    report = simulate(
        tmp_path / "log.tsv", k=K, workers=1, folder=tmp_path / "run", inner="click", inner_k=K + 2
    )
    assert report["equal"]
    assert report["queries published"] > 2
    assert 0 < report["clicks published"] < report["clicks"]
    assert report["clicks published below k"] == 0
    services = [
        path
        for path in (tmp_path / "run" / "services").rglob("*")
        if path.is_file() and path.suffix != ".parquet" and path.name != "index.html"
    ]
    assert not [path.name for path in services if b"canary" in path.read_bytes()]
    # The page shows what the tables show, and nothing else.
    (page,) = (tmp_path / "run" / "services").rglob("index.html")
    assert not re.search(r"canary\d", page.read_text(encoding="utf-8"))


def test_a_log_is_cut_to_the_first_rows_of_each_user(tmp_path):
    _log(tmp_path / "whole.tsv")
    first_rows(tmp_path / "whole.tsv", tmp_path / "cut.tsv", 2)
    lines = (tmp_path / "cut.tsv").read_text().splitlines()
    assert lines[0].startswith("AnonID")
    assert len(lines) == 1 + 2 * PEOPLE
    assert set(lines) <= set((tmp_path / "whole.tsv").read_text().splitlines())


def test_a_synthetic_crowd_is_cut_and_leaves_nothing_beside_it(tmp_path):
    whole = synthetic_crowd(tmp_path / "whole.tsv", clients=20, rows=0, seed=1)
    cut = synthetic_crowd(tmp_path / "cut.tsv", clients=20, rows=2, seed=1)
    assert sorted(tmp_path.iterdir()) == [cut, whole]
    users = [line.split("\t")[0] for line in cut.read_text().splitlines()[1:]]
    assert max(users.count(user) for user in users) == 2 < len(whole.read_text().splitlines())
