"""The figures of a small log, counted by hand."""

from crowdlog.log.importer import import_log
from crowdlog.log.summary import Spread, summarise


def test_figures(tmp_path):
    rows = [
        "1\ta\t2006-03-01 10:00:00\t1\thttp://x",
        "1\ta\t2006-03-01 10:00:00\t2\thttp://y",
        "1\tb c\t2006-03-01 10:26:00\t\t",  # 26 minutes later: still the same session
        "1\td e f g h i\t2006-03-01 10:52:01\t\t",  # one second more than that
        "2\ta\t2006-03-02 10:00:00\t1\thttp://x",
    ]
    (tmp_path / "log.tsv").write_text("\n".join(rows))
    figures = summarise(import_log(tmp_path / "log.tsv", tmp_path / "store"))
    assert (figures.rows, figures.users, figures.impressions, figures.clicks, figures.days) == (
        5,
        2,
        4,
        3,
        1.0,
    )
    assert (figures.distinct_queries, figures.distinct_urls) == (3, 2)
    assert (figures.distinct_query_share, figures.distinct_url_share, figures.clicked_share) == (
        3 / 4,
        2 / 3,
        1 / 2,
    )
    assert figures.single_user_query_share == 2 / 3
    assert figures.queries_per_user == Spread(2.0, 1.5, 2.0, 2.5)
    assert figures.sessions_per_user == Spread(1.5, 1.25, 1.5, 1.75)
    assert figures.words_per_distinct_query == {"1": 1, "2": 1, "3": 0, "4": 0, "5+": 1}


def test_a_log_without_clicks(tmp_path):
    (tmp_path / "log.tsv").write_text("1\ta\t2006-03-01 10:00:00\t\t\n")
    figures = summarise(import_log(tmp_path / "log.tsv", tmp_path / "store"))
    assert (figures.clicks, figures.distinct_url_share, figures.clicked_share) == (0, 0.0, 0.0)
