"""Small tables for notebooks: no script, no network, everything escaped."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup, escape

from crowdlog.number_format import number


def fields_in_notebook(title: str, fields: Mapping[str, str | int | float]) -> str:
    """Names and values under a title."""
    rows = Markup("").join(
        Markup(
            '<tr><th scope="row" style="text-align:left">{}</th><td style="text-align:left">{}</td></tr>'
        ).format(name, number(value))
        for name, value in fields.items()
        if value != ""
    )
    return str(Markup("<table><caption>{}</caption><tbody>{}</tbody></table>").format(escape(title), rows))
