"""WordNet's nouns as a tree: each synset under its first hypernym, found by its words in the order of senses.

The files are those of Debian's package wordnet-base (WordNet 3.0). The root `entity` is left out, as `Top` is
in a directory: it is above everything, so it tells nothing.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np

from crowdlog.artifacts.knowledge.tree import Name, Tree, name_of
from crowdlog.errors import InputError

FOLDERS = ("/usr/share/wordnet", "/usr/share/wordnet/dict", "/usr/local/WordNet-3.0/dict")
_HYPERNYMS = ("@", "@i")  # of a class; of an instance, such as a city
_ENTITY = 1740  # the offset of the root


def wordnet_folder() -> Path | None:
    """Where the files are: in WNSEARCHDIR, WordNet's own variable, or where Debian puts them."""
    for folder in (os.environ.get("WNSEARCHDIR", ""), *FOLDERS):
        if folder and (Path(folder) / "data.noun").is_file():
            return Path(folder)
    return None


@cache
def read_wordnet() -> Tree:
    """The tree of all noun synsets."""
    folder = wordnet_folder()
    if folder is None:
        raise InputError(
            "WordNet is not installed, and it is the tree of categories that is used unless you give one. "
            "Install it (Debian: apt-get install wordnet-base), or give tree='FILE', a list of paths."
        )
    above = _hypernyms(folder / "data.noun")
    depth: dict[int, int] = {}
    for synset in above:
        _measure(synset, above, depth)
    ordered = sorted(above, key=lambda synset: (depth[synset], synset))
    number = {synset: i for i, synset in enumerate(ordered)}
    named: dict[Name, list[int]] = {}
    for name, synsets in _senses(folder / "index.noun"):
        found = named.setdefault(name, [])
        found += [number[synset] for synset in synsets if number[synset] not in found]
    named.pop((), None)
    return Tree(
        "WordNet",
        np.array([number.get(above[synset], -1) for synset in ordered], np.int32),
        np.array([depth[synset] for synset in ordered], np.int32),
        {name: tuple(found) for name, found in named.items()},
    )


def _hypernyms(path: Path) -> dict[int, int]:
    """The first hypernym of each synset; 0 below the root, and for the root itself."""
    above = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(" "):  # the licence
            continue
        fields = line.split(" | ", 1)[0].split()
        words = int(fields[3], 16)
        pointers = fields[5 + 2 * words :]
        parents = [int(pointers[i + 1]) for i in range(0, len(pointers), 4) if pointers[i] in _HYPERNYMS]
        above[int(fields[0])] = parents[0] if parents and parents[0] != _ENTITY else 0
    return above


def _measure(synset: int, above: dict[int, int], depth: dict[int, int]) -> int:
    if synset not in depth:
        depth[synset] = 1 + (_measure(above[synset], above, depth) if above[synset] else 0)
    return depth[synset]


def _senses(path: Path) -> list[tuple[Name, list[int]]]:
    """Every word and phrase with its synsets, the most frequent sense first."""
    found = []
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            found.append((name_of(fields[0]), [int(synset) for synset in fields[-int(fields[2]) :]]))
    return found


# WordNet's rules of detachment (morphy): what an inflected word may have been.
_ENDINGS = {
    "noun": (("s", ""), ("es", ""), ("ies", "y"), ("men", "man"), ("ves", "f")),
    "verb": (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


@cache
def _words(kind: str) -> frozenset[str]:
    folder = wordnet_folder()
    if folder is None:
        return frozenset()
    lines = (folder / f"index.{kind}").read_text(encoding="ascii").splitlines()
    return frozenset(line.split(" ", 1)[0] for line in lines if not line.startswith(" "))


def can_be(word: str, kind: str) -> bool:
    """Whether WordNet knows the word, or what it is an inflection of, as noun, verb, adj or adv.

    Nothing is known where WordNet is not installed.
    """
    known = _words(kind)
    if word in known:
        return True
    cut = ((word.removesuffix(ending) + back) for ending, back in _ENDINGS[kind] if word.endswith(ending))
    return any(len(form) > 1 and form in known for form in cut)
