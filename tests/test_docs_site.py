"""The site of documents: every page it names is there, every guide is named, links lead somewhere, commands
exist, and the notebooks run.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path

import click
import pytest

from crowdlog.cli import cli

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
GUIDES = ("index", "owners", "formats", "choosing", "dashboard", "pipelines", "researchers", "collectors")


def tool(name: str):
    """A module of tools/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = tool("docs_site")


def in_site() -> set[str]:
    """All pages of the site: those of docs/, and those that the hook adds."""
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    proofs = {f"proofs/{path.name}" for path in (ROOT / "proofs").glob("*.md")}
    return pages | proofs | set(SITE.PLACES.values()) | {f"notebooks/{path.stem}.md" for path in NOTEBOOKS}


def test_every_page_of_the_menu_is_there_and_none_is_twice():
    named = re.findall(r"([\w\-/]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(set(named)) == len(named)
    assert set(named) <= in_site()
    guides = {path.name for path in DOCS.glob("*.md")}
    assert guides <= set(named)
    assert "proofs/README.md" in named
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("name", [*GUIDES, "regulators", "api"])
def test_links_between_guides_lead_somewhere(name):
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)", text):
        assert (DOCS / link).exists(), (name, link)


def test_links_are_those_of_the_site():
    known = in_site()
    assert SITE.relinked("[a](../proofs/crowd.md#x)", "owners.md", known) == "[a](proofs/crowd.md#x)"
    assert SITE.relinked("[a](../docs/owners.md)", "proofs/crowd.md", known) == "[a](../owners.md)"
    assert SITE.relinked("[a](keys.md)", "proofs/crowd.md", known) == "[a](../proofs/keys.md)"
    assert SITE.relinked("[a](../KNOWN_LIMITS.md)", "owners.md", known) == "[a](limits.md)"
    assert SITE.relinked("[a](notebooks/first-release.ipynb)", "index.md", known) == (
        "[a](notebooks/first-release.md)"
    )
    assert SITE.relinked("[a](../src/x.py) [b](https://x.org/y)", "owners.md", known) == (
        "a [b](https://x.org/y)"
    )


@pytest.mark.parametrize("name", ["researchers", "collectors", "regulators"])
def test_commands_of_the_guides_exist_with_these_options(name):
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    spans = [" ".join(span.split()) for span in re.findall(r"`(crowdlog [^`]+)`", text)]
    assert spans
    for span in spans:
        words = shlex.split(span)[1:]
        command: click.Command = cli
        while words and isinstance(command, click.Group):
            found = command.get_command(click.Context(command), words[0])
            assert found is not None, span
            command, words = found, words[1:]
        known = {"--help", *(option for each in command.params for option in each.opts)}
        assert {word for word in words if word.startswith("-")} <= known, span


def test_every_name_of_the_python_interface_is_there():
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    places = re.findall(r"^::: (crowdlog[\w.]+)$", text, re.MULTILINE)
    assert len(places) > 10
    for place in places:
        module, _dot, name = place.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), name)
        except AttributeError:
            found = importlib.import_module(place)
        assert found.__doc__, place


def test_every_mechanism_has_formula_promise_proof_and_example():
    text = (DOCS / "mechanisms.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(sections) > 20
    for section in sections:
        name = section.split("\n", 1)[0]
        assert "\nFormula: " in section, name
        assert "\nPromise of the example: " in section, name
        assert f'crowdlog plan "{name}(' in section, name
        (proof,) = re.findall(r"Proof: \[(proofs/[\w\-]+\.md)\]", section)
        assert (ROOT / proof).is_file(), name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_as_they_ran_without_traces_of_a_machine(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert any(cell["outputs"] for cell in cells)
    assert not any(output["output_type"] == "error" for cell in cells for output in cell["outputs"])
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(tmp|home|root|work|Users|var)/|Warning", text)
    page = SITE.as_markdown(notebook)
    assert page.count("```python") == len(cells)
    assert not re.search(r"<script|https?://(?!json-schema)", page)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_in_a_fresh_kernel(path, tmp_path):
    """Noise differs each time; what kind of thing each cell shows does not."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    ran = tool("run_notebooks").run(path, tmp_path)

    def kinds(cells):
        return [
            [(output["output_type"], sorted(output.get("data", {}))) for output in cell["outputs"]]
            for cell in cells
            if cell["cell_type"] == "code"
        ]

    assert kinds(ran.cells) == kinds(kept["cells"])
