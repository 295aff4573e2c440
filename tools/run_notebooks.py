"""Runs the notebooks of docs/ from a fresh kernel, in an empty folder, and keeps what they showed.

python tools/run_notebooks.py docs/notebooks/*.ipynb
"""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def run(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook as it is after all cells were run one after the other; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran is nobody's business
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run(Path(name), Path(folder)), name)
