"""Packages that only some commands need, and the extras that bring them: pip install 'crowdlog[report]'."""

from __future__ import annotations

from importlib.util import find_spec

from crowdlog.errors import InputError

# The modules of each extra that the core does without; pyproject.toml has the packages.
MODULES = {
    "measure": ("scipy", "dp_accounting"),
    "report": ("altair", "vl_convert", "ir_measures"),
    "text": ("snowballstemmer", "symspellpy", "names"),
    "crowd": ("rbcl", "jsonschema", "starlette", "uvicorn", "httpx", "psycopg"),
    "serve": ("argon2", "multipart"),
    "spark": ("pyspark",),
}


def advice(module: str | None) -> str | None:
    """What to install for a module that is missing; None if it belongs to no extra."""
    top = (module or "").split(".")[0]
    extra = next((name for name, modules in MODULES.items() if top in modules), None)
    return extra and (
        f"this needs the package {top}, which is not installed: pip install 'crowdlog[{extra}]'."
    )


def need(extra: str) -> None:
    """Refuse now what would fail later, after something was paid for, for want of a package."""
    for module in MODULES[extra]:
        if find_spec(module) is None:
            raise InputError(str(advice(module)))
