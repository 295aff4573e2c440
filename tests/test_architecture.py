"""ARCHITECTURE.md is true: what it names is there, every folder is in it, and imports point as it says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "crowdlog"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
DRAWN = re.search(r"```\nsrc/crowdlog/\n(.*?)```", TEXT, re.DOTALL).group(1)
# a path from the root, from the package, or from the extension
BASES = (ROOT, SOURCE, ROOT / "extension", ROOT / "extension" / "src")
OF_A_RELEASE = {"label.md", "explanation.md"}
FILES = re.findall(r"[\w./-]*\w\.(?:py|md|ts|toml)\b", TEXT)
FOLDERS = re.findall(r"(?<![\w/.<])([a-z_]+/(?:[a-z_]+/)*)(?![\w])", TEXT)


def there(path: str) -> bool:
    """A file may be named without its folder where the heading names the folder."""
    return any((base / path).exists() for base in BASES) or ("/" not in path and any(SOURCE.rglob(path)))


def test_every_file_and_folder_that_is_named_is_there():
    assert len(FILES) > 20
    assert [path for path in (*FILES, *FOLDERS) if path not in OF_A_RELEASE and not there(path)] == []


def test_the_ways_of_a_row_and_of_a_report_lead_through_modules():
    """Modules are drawn without `.py`; the first of a list names the folder of those behind it."""
    ways = re.findall(r"```\n (?:any export|a person).*?```", TEXT, re.DOTALL)
    steps = [step for way in ways for step in re.findall(r" ((?:[a-z]+/)+\w+(?:, \w+)*)", way)]
    assert len(steps) > 15
    for step in steps:
        first, *others = step.split(", ")
        folder = first.rpartition("/")[0]
        assert _is_module(first), first
        assert all(_is_module(f"{folder}/{other}") or _is_module(other) for other in others), others


def _is_module(name: str) -> bool:
    return (SOURCE / name).is_dir() or (SOURCE / f"{name}.py").is_file()


def test_every_folder_of_the_package_is_drawn():
    drawn = set(re.findall(r"([a-z]+)/ ", DRAWN))
    assert drawn == {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def test_the_order_of_imports_is_that_of_the_linter():
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = configured["tool"]["importlinter"]["contracts"][0]["layers"]
    told = re.search(r"`(cli → .*?)`", TEXT).group(1)
    assert [set(re.findall(r"\w+", layer)) for layer in told.split(" → ")] == [
        set(re.findall(r"\w+", layer)) for layer in layers
    ]
