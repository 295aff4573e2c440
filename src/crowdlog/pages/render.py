"""Templates to text. What is put into a template is escaped, unless this package made it itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from crowdlog.number_format import amount, number, percent, rounded_up
from crowdlog.pages.script_policy import policy

TEMPLATES = Path(__file__).parent / "templates"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,  # a name that is missing is a fault of ours, never an empty place
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"number": number, "percent": percent, "rounded_up": rounded_up, "amount": amount}
    environment.globals["policy"] = policy
    # our own file, and no log's text: it must not be escaped
    environment.globals["style"] = Markup((TEMPLATES / "style.css").read_text(encoding="utf-8"))  # noqa: S704
    return environment


def render(template: str, **values: Any) -> str:
    """The template of this name with these values. The page needs no other file and no network."""
    return _environment().get_template(template).render(values)
