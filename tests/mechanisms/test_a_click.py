from __future__ import annotations

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.mechanisms.a_click import NO_OVERLAP, AClick
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log
from tests.support.randomness import FrozenRandomness


@pytest.fixture
def log(tmp_path):
    """200 people ask three queries; the second looks personal, the third is in no pool."""
    return make_log(tmp_path, crowd_rows(200, ["used cars", "call 202-555-0143", "weather boston"]))


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_text("used cars\nnobody asks this\ncall 202-555-0143\n", encoding="utf-8")
    return str(path)


def counts(protected, name="queries"):
    return {tuple(row.values())[:-1]: row["count"] for row in protected.tables[name].to_pylist()}


def test_closed_mode_shows_queries_of_the_pool_alone(log, pool):
    protected = AClick(epsilon=20, q_f=3, pool=pool).protect(log, FrozenRandomness())
    assert counts(protected) == {("used cars",): 200}
    assert counts(protected, "clicks") == {("used cars", "http://usedcars.example"): 200}


def test_open_mode_shows_others_too(log, pool):
    protected = AClick(epsilon=20, q_f=3, pool=pool, mode="open").protect(log, FrozenRandomness())
    assert counts(protected) == {("used cars",): 200, ("weather boston",): 200}
    assert counts(protected, "clicks")[("weather boston", "http://weatherboston.example")] == 200


def test_first_queries_and_clicks_only(log, pool):
    assert counts(AClick(epsilon=20, q_f=1, pool=pool, mode="open").protect(log, FrozenRandomness())) == {
        ("used cars",): 200
    }


def test_pool_queries_that_nobody_asked_get_noise_and_can_be_shown(log, pool):
    mechanism = AClick(epsilon=0.1, q_f=1, pool=pool, K=0, least_count=0, weight_clicks=0)
    seen = [
        ("nobody asks this",) in counts(mechanism.protect(log, SeededRandomness(seed))) for seed in range(40)
    ]
    assert any(seen)
    assert not all(seen)


def test_counts_below_the_least_are_left_out_by_their_noisy_value(log, pool):
    mechanism = AClick(epsilon=0.05, q_f=1, pool=pool, K=0, least_count=30, weight_clicks=0)
    shown = [
        count
        for seed in range(20)
        for count in counts(mechanism.protect(log, SeededRandomness(seed))).values()
    ]
    assert shown
    assert min(shown) >= 30


def test_public_urls_have_a_row_for_every_shown_query_whoever_asked(log, tmp_path, pool):
    surfaced = tmp_path / "surfaced.tsv"
    surfaced.write_text(
        "used cars\thttp://usedcars.example\nused cars\thttp://other.example\nnobody asks "
        "this\thttp://none.example\n",
        encoding="utf-8",
    )
    mechanism = AClick(
        epsilon=0.1, q_f=3, pool=pool, K=0, least_count=0, urls="public", surfaced=str(surfaced)
    )
    releases = [mechanism.protect(log, SeededRandomness(seed)) for seed in range(12)]
    shown = [{query for (query,) in counts(release)} for release in releases]
    assert any("nobody asks this" in queries for queries in shown)
    public = {
        ("used cars", "http://usedcars.example"),
        ("used cars", "http://other.example"),
        ("nobody asks this", "http://none.example"),
    }
    for queries, release in zip(shown, releases, strict=True):
        assert set(counts(release, "clicks")) == {row for row in public if row[0] in queries}


def test_closed_mode_without_private_urls_spends_no_delta_but_the_samplers(pool):
    closed = AClick(epsilon=2, q_f=5, pool=pool, weight_clicks=0).promise().guarantee
    assert 1.999 < closed.epsilon <= 2
    assert 0 < closed.delta < 1e-30
    opened = AClick(epsilon=2, q_f=5, pool=pool, weight_clicks=0, mode="open").promise().guarantee
    assert 1e-10 < opened.delta <= 1e-9


def test_k_keeps_invented_queries_rare():
    few, many = (AClick(epsilon=2, q_f=1, invented=invented)._selection(100_000) for invented in (0.01, 10))
    for selection, invented in ((few, 0.01), (many, 10)):
        assert invented / 10 < 100_000 * DiscreteLaplace(selection.scale).tail(selection.K) <= invented
    assert few.guarantee() == many.guarantee()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"epsilon": 0, "q_f": 1}, "'epsilon' parameter of AClick must be a number above 0"),
        ({"epsilon": 1, "q_f": 0}, "'q_f'"),
        ({"epsilon": 1, "q_f": 1, "urls": "public"}, "needs 'surfaced'"),
        ({"epsilon": 1, "q_f": 1, "mode": "half"}, "'mode'"),
    ],
)
def test_bad_parameters(values, message):
    with pytest.raises(InputError, match=message):
        AClick(**values)


def test_a_threshold_below_the_valid_one_and_an_empty_pool(tmp_path, pool):
    with pytest.raises(InputError, match=r"'K' parameter of AClick must be at least \d+ in open mode"):
        AClick(epsilon=1, q_f=1, pool=pool, mode="open", K=3).promise()
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="is empty"):
        AClick(epsilon=1, q_f=1, pool=str(tmp_path / "empty.txt")).check_inputs()


def test_a_pool_that_overlaps_nothing_is_told_to_the_owner_not_refused(log, tmp_path, pool):
    other = tmp_path / "other.txt"
    other.write_text("zebras\n", encoding="utf-8")
    mechanism = AClick(epsilon=1, q_f=1, pool=str(other), weight_clicks=0)
    assert mechanism.advice(log) == (NO_OVERLAP,)
    assert AClick(epsilon=1, q_f=1, pool=pool).advice(log) == ()
    result = CliRunner().invoke(cli, ["release", str(log.path), repr(mechanism), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert NO_OVERLAP in result.output
    assert all(
        NO_OVERLAP not in path.read_text(encoding="utf-8", errors="replace")
        for path in (tmp_path / "out").iterdir()
    )
    with open_ledger(log) as ledger:
        assert len(ledger.entries()) == 1


def test_a_seed_repeats_the_noise_of_public_urls(log, tmp_path, pool):
    """A join of tables gives its rows in any order; the noise must not follow it."""
    surfaced = tmp_path / "surfaced.tsv"
    surfaced.write_text("".join(f"used cars\thttp://{i}.example\n" for i in range(100_000)), encoding="utf-8")
    mechanism = AClick(epsilon=3, q_f=3, pool=pool, K=0, urls="public", surfaced=str(surfaced))
    first, again = (mechanism.protect(log, SeededRandomness(1)).tables["clicks"] for _ in range(2))
    assert first.equals(again)
    assert first.num_rows == 100_000
