"""The names of formats, without their readers: for help texts."""

from __future__ import annotations

# Name on the command line: module of `formats`. Each has `read(source, options) -> Callable[[Advance],
# Iterator[Batch]]`, which looks at the head first.
FORMATS = {
    "aol": "aol",
    "csv": "delimited",
    "tsv": "delimited",
    "jsonl": "jsonlines",
    "parquet": "parquet",
    "ubi": "ubi",
    "elasticsearch": "elasticsearch",
    "solr": "solr",
    "access-log": "access_log",
    "matomo": "matomo",
    "ga4": "ga4",
    "tripclick": "tripclick",
    "yandex": "yandex",
    "excite": "excite",
    "sogou": "sogou",
    "trec-session": "trec_session",
    "chromium": "chromium",
    "firefox": "firefox",
    "takeout": "takeout",
}
