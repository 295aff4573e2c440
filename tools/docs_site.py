"""What the site of documents has beyond docs/: proofs, limits and notebooks (a hook of mkdocs)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

# Documents of the root and of proofs/, and where they stand in the site.
PLACES = {"KNOWN_LIMITS.md": "limits.md", "CHANGELOG.md": "changelog.md"}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are not in docs/."""
    from mkdocs.structure.files import File

    root = Path(config.config_file_path).parent
    for proof in sorted((root / "proofs").glob("*.md")):
        files.append(
            File.generated(config, f"proofs/{proof.name}", content=proof.read_text(encoding="utf-8"))
        )
    for name, place in PLACES.items():
        files.append(File.generated(config, place, content=(root / name).read_text(encoding="utf-8")))
    for notebook in sorted((root / "docs" / "notebooks").glob("*.ipynb")):
        text = as_markdown(json.loads(notebook.read_text(encoding="utf-8")))
        files.append(File.generated(config, f"notebooks/{notebook.stem}.md", content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, files: Any, **_others: Any) -> str:
    """Links lead to where things stand in the site; what is not in it loses its link and keeps its words."""
    return relinked(markdown, page.file.src_uri, {file.src_uri for file in files})


def on_post_page(output: str, *, page: Any, **_others: Any) -> str:
    """The theme would fetch a script from the network for searching in pages that were opened as files; ours
    lies beside them.
    """
    up = "../" * page.file.src_uri.count("/")
    return output.replace("https://unpkg.com/iframe-worker/shim", f"{up}assets/frame-worker.js")


def relinked(markdown: str, place: str, known: set[str]) -> str:
    """`place`: where this page stands in the site; `known`: all that stands there."""
    up = "../" * place.count("/")

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found.groups()
        if target.startswith(("http:", "https:", "mailto:")) or not target:
            return found[0]
        # in the repository docs/ and proofs/ lie beside each other; in the site proofs/ lies in docs/
        folder = "proofs/" if place.startswith("proofs/") else "docs/" + place.rpartition("/")[0]
        parts: list[str] = []
        for part in (*folder.strip("/").split("/"), *target.split("/")):
            parts = parts[:-1] if part == ".." else parts if part in (".", "") else [*parts, part]
        here = "/".join(parts)
        there = PLACES.get(here, here.removeprefix("docs/"))
        if there.endswith(".ipynb"):
            there = there.removesuffix("ipynb") + "md"
        return f"[{words}]({up}{there}{anchor or ''})" if there in known else words

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#\s]*)(#[^)\s]*)?\)", link, markdown)


def as_markdown(notebook: Any) -> str:
    """Cells one after the other, with what they showed when they were run."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        parts.extend(_shown(output) for output in cell["outputs"])
    return "\n\n".join(parts) + "\n"


def _shown(output: Any) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        html = re.sub(r"\s*\n\s*", " ", "".join(data["text/html"]))  # a blank line would end it
        return f"<div>{html}</div>"
    plain = "".join(output.get("text", "") or data.get("text/plain", ""))
    return f"```text\n{plain.rstrip()}\n```"
