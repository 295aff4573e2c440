from hypothesis import given
from hypothesis import strategies as st

from crowdlog.pages.bar_chart import bar_chart


@given(st.lists(st.integers(-50, 10**9), min_size=1, max_size=30), st.none() | st.floats(0.1, 1e6))
def test_bars_and_their_errors_stay_inside_the_frame(counts, noise):
    chart = bar_chart("t", "query", [str(i) for i in range(len(counts))], counts, of=99, noise=noise)
    for bar in chart.bars:
        assert 0 <= bar.low <= bar.length <= bar.high <= 100


def test_an_error_bar_is_twice_the_standard_deviation_either_way():
    """A count of 80 with noise of 5: the frame ends at 90."""
    (bar,) = bar_chart("t", "query", ["a"], [80], of=1, noise=5.0).bars
    assert (bar.low, bar.length, bar.high) == (round(100 * 70 / 90, 2), round(100 * 80 / 90, 2), 100)


def test_it_says_what_is_left_out():
    assert bar_chart("t", "query", ["a"], [1], of=1200, noise=None).note == "The 1 largest of 1,200."
    assert (
        "twice the standard deviation of the noise (2.5)"
        in bar_chart("t", "query", ["a"], [1], of=1, noise=2.5).note
    )


def test_the_line_of_noise_is_not_taken_for_an_interval():
    """Crowd publishes .30 of all searches of 20,000 people: bounds take more than noise, always one way."""
    noisy = bar_chart("t", "query", ["a"], [10], of=1, noise=2.5)
    assert "leaves out what the bound on each person takes off a count" in noisy.note
    own = bar_chart("t", "query", ["a"], [10], of=1, noise=None, intervals=[(8.0, 12.0)])
    assert "leaves out" not in own.note
