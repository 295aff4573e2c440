"""The papers' numbers."""

import math

import pytest

from crowdlog.privacy.published import (
    a_click_epsilon,
    a_click_turning_point,
    a_session,
    dp_a,
    dp_u,
    epsilon_for,
    korolova,
    session_sensitivity,
    sweep_epsilon,
    zealous_indistinguishable,
    zealous_probabilistic,
)

AOL_DELTA = 1 / 657427


@pytest.mark.parametrize(
    ("d", "K", "b"),
    [
        (1, 5.70, 0.43),
        (5, 31.99, 2.17),
        (10, 66.99, 4.34),
        (20, 140.00, 8.69),
        (40, 292.04, 17.37),
        (80, 608.16, 34.74),
        (160, 1264.49, 69.49),
    ],
)
def test_korolova_table_1(d: int, K: float, b: float) -> None:
    setting = dp_a(math.log(10), 1e-5, d)
    assert (round(setting.k, 2), round(setting.b, 2)) == (K, b)


def test_korolova_d_21() -> None:
    setting = dp_a(math.log(10), 1e-5, 21)
    assert (round(setting.k, 1), round(setting.b, 1)) == (147.4, 9.1)


def test_korolova_setting_keeps_its_promise() -> None:
    setting = dp_a(math.log(10), 1e-5, 20)
    assert korolova(20, setting.b, setting.k) == pytest.approx((math.log(10), 1e-5))


@pytest.mark.parametrize(
    ("k", "epsilon"),
    list(
        zip(
            [2**i for i in range(1, 11)],
            [1730.81, 576.94, 247.26, 115.39, 55.83, 27.47, 13.63, 6.79, 3.39, 1.69],
            strict=True,
        )
    ),
)
def test_feild_table_3_3_dp_u(k: int, epsilon: float) -> None:
    assert round(epsilon_for("DP_u", k, 100, AOL_DELTA), 2) == epsilon


@pytest.mark.parametrize(
    ("k", "epsilon"), [(101, 1730.82), (128, 61.82), (256, 11.10), (512, 4.21), (1026, 1.87)]
)
def test_feild_table_3_3_dp_a(k: int, epsilon: float) -> None:
    assert round(sweep_epsilon("DP_a", k, 100, AOL_DELTA), 2) == epsilon


@pytest.mark.parametrize(("mechanism", "settings"), [("DP_a", dp_a), ("DP_u", dp_u)])
def test_the_sweep_finds_the_first_step_that_fits(mechanism, settings) -> None:  # type: ignore[no-untyped-def]
    for k in (150, 300, 1000):
        epsilon = sweep_epsilon(mechanism, k, 100, AOL_DELTA)
        assert settings(epsilon, AOL_DELTA, 100).k <= k < settings(epsilon - 0.01, AOL_DELTA, 100).k


@pytest.mark.parametrize(
    ("limit", "epsilon"),
    [(1, 0.43), (2, 0.85), (4, 1.71), (6, 2.56), (8, 3.42), (10, 4.27), (20, 8.54), (40, 17.08), (80, 34.16)],
)
def test_zhang_table_3_8(limit: int, epsilon: float) -> None:
    """The printed values are multiples of the unit value rounded to three digits."""
    assert a_click_epsilon(limit, limit, 10, 10, 10, 10) == pytest.approx(epsilon, abs=0.005 + 0.0005 * limit)
    assert round(limit * round(a_click_epsilon(1, 1, 10, 10, 10, 10), 3), 2) == epsilon


@pytest.mark.parametrize(
    ("b", "K"), [(6, 8.08), (14, 28.74), (7, 10.26), (7.5, 11.41), (9.75, 16.94), (24.75, 63.76)]
)
def test_zhang_table_3_10_turning_points(b: float, K: float) -> None:
    assert a_click_turning_point(b) == pytest.approx(K, abs=0.0051)


def test_table_3_10_uses_a_scale_that_is_not_theorem_1() -> None:
    """b = (4·q_f − 1)/ε; Theorem 1 at the turning point costs 3·q_f/b, which is less than the printed ε for
    q_f > 1.
    """
    for q_f, b in ((1, 6.0), (2, 14.0), (3, 22.0), (4, 30.0)):
        assert b == (4 * q_f - 1) / 0.5
        spent = a_click_epsilon(q_f, q_f, b, a_click_turning_point(b), b, b)
        assert spent == pytest.approx(3 * q_f / b)
        assert (spent < 0.4999) == (q_f > 1)


@pytest.mark.parametrize(
    ("b", "K", "l_s", "l_q", "epsilon", "delta"),
    [
        (1, 10, 1, 3, 8.00, 4.95e-3),
        (1, 20, 1, 3, 8.00, 2.25e-7),
        (1, 30, 1, 3, 8.00, 1.02e-11),
        (3, 10, 1, 3, 2.67, 2.70e-1),
        (3, 20, 1, 3, 2.67, 9.66e-3),
        (3, 30, 1, 3, 2.67, 3.44e-4),
        (1, 20, 1, 4, 22.00, 6.79e-4),
        (2, 30, 1, 4, 11.00, 4.12e-4),
        (1, 20, 2, 3, 16.00, 2.46e-5),
        (2, 30, 2, 3, 8.00, 6.68e-5),
    ],
)
def test_zhang_table_4_4(b: float, K: float, l_s: int, l_q: int, epsilon: float, delta: float) -> None:
    got_epsilon, got_delta = a_session(b, K, session_sensitivity(l_s, l_q))
    assert round(got_epsilon, 2) == epsilon
    assert got_delta == pytest.approx(delta, rel=0.005)


def test_a_session_of_four_queries_has_eleven_subsequences() -> None:
    assert session_sensitivity(1, 4) == 11


def test_zealous_settings() -> None:
    plain = zealous_indistinguishable(1.0, 1e-6, 5)
    assert (plain.b, plain.k_raw) == (10.0, 1)
    assert plain.k == dp_a(1.0, 1e-6, 5).k
    probabilistic = zealous_probabilistic(1.0, 1e-6, 5, 100_000)
    assert (probabilistic.b, probabilistic.k_raw) == (10.0, 10)
    assert probabilistic.k == pytest.approx(10 - 10 * math.log(2e-6 * 10 / 500_000))
