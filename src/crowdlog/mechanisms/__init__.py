"""PROTECT: one file per published method. `parse` reads the spelling that `repr` writes."""

from __future__ import annotations

import ast
import importlib

from crowdlog.errors import InputError
from crowdlog.mechanisms.base import Mechanism

# name: module of this package. A table, not a registry: nothing is imported until it is asked for.
MECHANISMS: dict[str, str] = {
    "AClick": "a_click",
    "ASession": "a_session",
    "ClosedDomain": "closed_domain",
    "Crowd": "crowd",
    "DPa": "dp_a",
    "DPu": "dp_u",
    "FTa": "ft_a",
    "FTu": "ft_u",
    "KA": "ka",
    "KAnonymity": "k_anonymity",
    "Keys": "keys",
    "Korolova": "korolova",
    "Ladder": "ladder",
    "Mdav": "mdav",
    "Nebula": "nebula",
    "OdpClusters": "odp_clusters",
    "Poblete": "poblete",
    "SemanticKAnonymity": "semantic_k_anonymity",
    "SemanticMdav": "semantic_mdav",
    "Zealous": "zealous",
    "HashedTokens": "hashed_tokens",
    "Pseudonyms": "pseudonyms",
    "SplitSessions": "split_sessions",
}


def find(name: str) -> type[Mechanism]:
    """The mechanism of this name."""
    if name not in MECHANISMS:
        raise InputError(f"There is no mechanism '{name}'. There are: {', '.join(sorted(MECHANISMS))}.")
    found = getattr(importlib.import_module(f"crowdlog.mechanisms.{MECHANISMS[name]}"), name)
    if not (isinstance(found, type) and issubclass(found, Mechanism)):
        raise TypeError(f"crowdlog.mechanisms.{MECHANISMS[name]}.{name} is not a mechanism")
    return found


def parse(text: str) -> Mechanism:
    """Read 'Korolova(epsilon=2.3, delta=1e-5, d=20)'.

    Values are plain numbers, texts, True, False or None: nothing is executed.
    """
    example = "Write it like 'Korolova(epsilon=2.3, delta=1e-5, d=20)'."
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise InputError(f"This mechanism cannot be read: {text!r}. {example}") from None
    if isinstance(call, ast.Name):
        call = ast.Call(func=call, args=[], keywords=[])
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise InputError(f"This mechanism cannot be read: {text!r}. {example}")
    kind = find(call.func.id)
    values = {}
    for keyword in call.keywords:
        try:
            values[keyword.arg or ""] = ast.literal_eval(keyword.value)
        except ValueError:
            raise InputError(
                f"The '{keyword.arg}' parameter of {call.func.id} must be a plain number or text. {example}"
            ) from None
    return kind(**values)
