"""The exports that owners of logs have, and how each is imported: the table of docs/formats.md.

Every row has a test of the same name (tests/log/formats/shapes.py).
"""

from __future__ import annotations

_READ, _ASKED = "", "--yes"
_NO = "no: there is no person in it. "
_RAW = _NO + "Export one row per search with a stable id of the visitor"

# Name of the export: options of `crowdlog import`, or why it is refused and what to export instead ("no: …").
EXPORTS = {
    "CSV, our own names": _READ,
    "CSV with semicolons": _READ,
    "CSV with bars": _READ,
    "CSV, upper case": _READ,
    "CSV, other names": _ASKED,
    "CSV, a session as user": _ASKED,
    "CSV without a header": "--columns user=1,query=2,time=3,rank=4,url=5",
    "CSV without times": "--columns user=user_id,query=query",
    "CSV in Latin-1": _READ,
    "TSV, all in quotes": _READ,
    "Excel's Unicode text (UTF-16)": _READ,
    "Excel workbook": "no: save the sheet as CSV UTF-8 or Unicode text",
    "AOL TSV": _READ,
    "Parquet, time stamps with zone": _READ,
    "Parquet with days": _READ,
    "Parquet, nested": "--columns user=who.id,query=said,time=at,url=clicked",
    "Spark's output by day": _READ,
    "Hive table with the day in folders": "--columns user=user_id,query=query,time=day,url=url",
    "OpenSearch UBI queries and events": _READ,
    "OpenSearch UBI, events with the words of the query": _READ,
    "OpenSearch UBI queries": _READ,
    "OpenSearch UBI events alone": "no: events name queries by id. Give the queries as well",
    "Elasticsearch documents, nested": _ASKED,
    "Elasticsearch `_search` answer": _ASKED,
    "elasticdump": _ASKED,
    "JSON array": _ASKED,
    "JSON without a user": _RAW,
    "Elasticsearch slow log, JSON": _READ,
    "Elasticsearch slow log, lines": _READ,
    "Elasticsearch slow log without X-Opaque-Id": _NO + "Send a visitor's id in the header X-Opaque-Id",
    "Solr request log with a visitor's id": _READ,
    "Solr request log": _NO + "Send a visitor's id as a parameter",
    "nginx or Apache access log": _READ,
    "Matomo Live.getLastVisitsDetails (JSON)": _READ,
    "Kibana's CSV report": _ASKED,
    "Matomo's table of visits (CSV)": _ASKED,
    "Matomo's report of keywords": _NO + "Export Live.getLastVisitsDetails",
    "GA4 in BigQuery (JSON)": _READ,
    "GA4 in BigQuery (Parquet)": _READ,
    "GA4's report of search terms": _RAW,
    "GA4, microseconds in CSV": _ASKED,
    "GA4, yyyymmdd in CSV": _ASKED,
    "TripClick": _READ,
    "Google Search Console": _RAW,
    "ORCAS": _RAW,
    "MS MARCO queries": _RAW,
    "Archive Query Log": _RAW,
    "Wikimedia clickstream": _RAW,
    "Wikimedia page views": _RAW,
    "seconds since 1970": _READ,
    "milliseconds since 1970": _READ,
    "seconds with a fraction in CSV": _READ,
    "ISO 8601 with Z": _READ,
    "ISO 8601 with a fraction": _READ,
    "ISO 8601 with +02:00": _READ,
    "BigQuery, 'UTC' behind the time": _READ,
    "PostgreSQL, +02 behind the time": _READ,
    "Python's logging, comma before milliseconds": _READ,
    "yyyymmddHHMMSS": _READ,
    "times without seconds": _READ,
    "days only": _READ,
    "dd.mm.yyyy": _READ,
    "mm/dd/yyyy with am and pm": _READ,
    "mm/dd/yy": _READ,
    "Apache's time in CSV": _READ,
    "ISO 8601 without separators": _READ,
    "C and Unix, the year at the end": _READ,
    "Java, zone before the year": _READ,
    "JavaScript, zone in words": _READ,
    "Go, zone twice": _READ,
    "Oracle": _READ,
    "SAS": _READ,
    "DB2": _READ,
}


def table() -> str:
    """As Markdown."""
    lines = ["| export | read? |", "|---|---|"]
    for name, how in EXPORTS.items():
        told = how if how.startswith("no:") else f"yes, with `{how}`" if how else "yes"
        lines.append(f"| {name} | {told} |")
    return "\n".join(lines) + "\n"
