from crowdlog.pages.table import Cell, PageTable, table_of


def test_columns_of_numbers_alone_stand_to_the_right():
    table = table_of("t", ["name", "count", "mixed"], [["a", 1, 2.5], ["b", None, "x"]])
    assert table.numeric == [False, True, False]
    assert [[cell.text for cell in row] for row in table.rows] == [["a", "1", "2.5"], ["b", "–", "x"]]


def test_a_line_that_spans_columns_decides_nothing():
    table = PageTable(
        "t", ["a", "b"], [[Cell("nothing to measure", span=2)], [Cell("x"), Cell("1", numeric=True)]]
    )
    assert table.numeric == [False, True]


def test_an_empty_table_has_no_numbers():
    assert PageTable("t", ["a"], []).numeric == [False]
