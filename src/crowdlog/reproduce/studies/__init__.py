"""One file per figure or table. A table, not a registry: nothing is imported until it is asked for."""

from __future__ import annotations

import importlib

from crowdlog.errors import InputError
from crowdlog.reproduce.study import Study

# name on the command line: module of this package, which has a Study called STUDY.
STUDIES: dict[str, str] = {
    "korolova-figure-1": "korolova_figure_1",
    "korolova-figure-2": "korolova_figure_2",
    "korolova-figure-3": "korolova_figure_3",
    "korolova-figure-4": "korolova_figure_4",
    "korolova-table-2": "korolova_table_2",
    "korolova-table-3": "korolova_table_3",
    "korolova-table-4": "korolova_table_4",
    "korolova-table-5": "korolova_table_5",
    "feild-figure-3.5": "feild_figure_3_5",
    "feild-figure-3.6": "feild_figure_3_6",
    "feild-figure-3.7": "feild_figure_3_7",
    "feild-figure-3.8": "feild_figure_3_8",
    "feild-figure-3.9": "feild_figure_3_9",
    "feild-attacks": "feild_attacks",
    "feild-figure-5.4": "feild_figure_5_4",
    "feild-table-5.6": "feild_table_5_6",
    "feild-table-5.7": "feild_table_5_7",
    "feild-figure-6.7": "feild_figure_6_7",
    "feild-figure-6.10": "feild_figure_6_10",
    "feild-figure-7.2": "feild_figure_7_2",
    "zhang-table-3.3": "zhang_table_3_3",
    "zhang-figure-3.4": "zhang_figure_3_4",
    "zhang-figure-3.5": "zhang_figure_3_5",
    "zhang-figure-3.6": "zhang_figure_3_6",
    "zhang-figure-3.8": "zhang_figure_3_8",
    "zhang-table-3.5": "zhang_table_3_5",
    "zhang-table-3.6": "zhang_table_3_6",
    "zhang-table-3.7": "zhang_table_3_7",
    "zhang-table-3.8": "zhang_table_3_8",
    "zhang-table-3.9": "zhang_table_3_9",
    "zhang-table-3.10": "zhang_table_3_10",
    "zhang-table-4.5": "zhang_table_4_5",
    "zhang-table-4.6": "zhang_table_4_6",
    "zhang-figure-4.2": "zhang_figure_4_2",
    "zhang-figure-4.3": "zhang_figure_4_3",
    "zhang-table-6.1": "zhang_table_6_1",
    "erola-figure-5.3": "erola_figure_5_3",
    "erola-figure-5.5": "erola_figure_5_5",
    "erola-figure-5.7": "erola_figure_5_7",
    "erola-figure-5.10": "erola_odp",
    "erola-comparison": "erola_comparison",
}


def find(name: str) -> Study:
    """The study of this name."""
    study = importlib.import_module(f"crowdlog.reproduce.studies.{STUDIES[name]}").STUDY
    if not isinstance(study, Study):
        raise TypeError(f"crowdlog.reproduce.studies.{STUDIES[name]}.STUDY is not a study")
    return study


def chosen(which: str) -> list[Study]:
    """The study of this name, else all whose name contains `which`, in any case; all for ''."""
    wanted = which.strip().lower()
    names = [wanted] if wanted in STUDIES else [name for name in STUDIES if wanted in name]
    if not names:
        raise InputError(f"There is no study '{which}'. There are: {', '.join(STUDIES)}.")
    return [find(name) for name in names]
