"""A small log, through the real importer: the worked example of seed 004 around cell phone cases, amid other
searches.
"""

from __future__ import annotations

from crowdlog.log.importer import import_log

# Figure 4's queries, 'cell phone case' written as cpc there.
AROUND = [
    "3100 cpc", "sanyo 3100 cpc", "blackberry cpc", "playboy cpc", "coach cpc", "cpc 2", "cpc e815",
    "rutgers cpc", "flame cpc", "dolphin cpc",
    "cpc strap", "rugged cpc", "yorkie cpc", "jewel cpc", "nokia 2651 cpc", "la cg300 cpc",
    "waterproff cpc", "leather cpc", "titanium cpc",
    "cpc stars", "i530 cpc",
]  # fmt: skip
CASES = [query.replace("cpc", "cell phone case") for query in AROUND]
SANYO = CASES[1]


def typed():
    """(user, query): one user per case query but one, users overlapping; 30 others use the words apart and
    together.
    """
    rows = [(f"c{i % 14}", query) for i, query in enumerate(CASES)] + [("c20", CASES[17])]
    for query in CASES:  # so that no word is typed by one user alone
        rows += [(f"w{i}", word) for word in query.replace("cell phone case", "").split() for i in range(2)]
    for i in range(30):
        rows += [(f"p{i}", "cell phone"), (f"p{i}", f"phone case number{i % 3}"), (f"p{i}", "the weather")]
        rows += [(f"p{i}", word) for word in ("cell", "phone", "case")]
    rows += [(f"m{i}", "my secret street") for i in range(3)] + [("m7", "my very secret street 4711")]
    return rows


def tsv(rows):
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    lines += [
        f"{user}\t{query}\t2006-03-01 00:{i // 60 % 60:02}:{i % 60:02}\t\t"
        for i, (user, query) in enumerate(rows)
    ]
    return "\n".join(lines) + "\n"


def make_log(folder, rows=None, name="log"):
    source = folder / f"{name}.tsv"
    source.write_text(tsv(typed() if rows is None else rows), encoding="utf-8")
    return import_log(source, folder / name)
