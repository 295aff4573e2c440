"""The parts of which every HTML page is made: one layout, one style sheet, one table, two kinds of chart."""
