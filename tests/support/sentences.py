"""The sentences in our source: every text that may be printed, with {} for what is filled in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "crowdlog"
_SQL = re.compile(r"(CREATE|INSERT|SELECT|PRAGMA|BEGIN|LOCK|SET) ")


def sentences(module: str) -> list[str]:
    """All texts of at least four words in a module, but for docstrings and SQL."""
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    skipped = {id(text) for text in _docstrings(tree)} | {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    texts = [_text(node) for node in ast.walk(tree) if id(node) not in skipped]
    return [text for text in texts if text and text.count(" ") >= 3 and not _SQL.match(text)]


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


def _docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def pattern(sentence: str, *, numbers: bool = False) -> re.Pattern[str]:
    """What a printed sentence looks like: its words in order, with at most a line of filled-in text between.

    Of a sentence that goes on below a table only the beginning is looked for. `numbers`: it is filled in with
    numbers only.
    """
    if numbers:
        return re.compile("[0-9,]+".join(re.escape(part) for part in sentence.split("{}")))
    parts = [part for part in re.split(r"\{\w*\}", sentence.strip("\n").split("\n")[0]) if part.strip()]
    return re.compile(".{1,300}?".join(re.escape(part) for part in parts))


def covering(sentence: str) -> re.Pattern[str]:
    """The whole of a printed sentence, with whatever fills its gaps; it does not end within a number."""
    *parts, last = [re.escape(part) for part in re.split(r"\{\w*\}", sentence.strip())]
    return re.compile(".*?".join([*parts, f"{last}(?![0-9])" if last else "$"]), re.DOTALL)


@dataclass(frozen=True)
class ErrorSite:
    """A place in the source where an error is made; `text` is its sentence, with {} for what is filled in."""

    module: str
    first: int
    last: int
    text: str


ERRORS = ("InputError", "PrivacyRefusal")


def error_sites(module: str) -> list[ErrorSite]:
    """Every place in a module that makes an InputError or a PrivacyRefusal."""
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    made = [node for node in ast.walk(tree) if _makes_error(node)]
    sites = [ErrorSite(module, node.lineno, node.end_lineno, _text(node.args[0])) for node in made]
    return sorted(sites, key=lambda site: site.first)


def error_parts(module: str) -> list[str]:
    """Texts of a module that errors of ours are filled in with: what is neither in an error nor printed by a
    label. Errors of other classes are never shown; only their type is told.
    """
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    inside = [node for node in ast.walk(tree) if _makes_error(node) or _raises_other(node)]
    known = {_text(part) for node in inside for part in ast.walk(node)}
    return [text for text in sentences(module) if text not in known]


# Of a mechanism: what is in its documentation, not on a label. Title and source are on every label.
_OF_THE_CLASS = {"title", "source", "formula", "example", "whole_log"}


def told_parts(module: str) -> list[str]:
    """Texts of a module that a release may print: neither errors nor help of parameters."""
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    documented = [node for node in ast.walk(tree) if _documents(node)]
    known = {_text(part) for node in documented for part in ast.walk(node)}
    return [text for text in error_parts(module) if text not in known]


def _documents(node: ast.AST) -> bool:
    """The help of a parameter, or what a mechanism says of itself in the list of mechanisms."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id in _OF_THE_CLASS
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "parameter"


_MARKUP = re.compile(r"\{#.*?#\}|<style.*?</style>|<[^>{]*(?:\{[{%].*?[}%]\}[^>{]*)*>", re.DOTALL)
_CODE = re.compile(r"\{[{%](.*?)[}%]\}", re.DOTALL)


def template_texts(template: str) -> list[str]:
    """What a template prints of its own: its text between tags, and in its expressions, of two words."""
    source = (SOURCE / template).read_text(encoding="utf-8")
    literal = [text for code in _CODE.findall(source) for text in re.findall(r'"([^"<>]*)"', code)]
    plain = _CODE.sub("\n", _MARKUP.sub("\n", source)).split("\n")
    texts = [text.strip() for text in (*plain, *literal)]
    return [text for text in texts if re.search(r"[A-Za-z]{2,} [A-Za-z]", text)]


def _raises_other(node: ast.AST) -> bool:
    """TypeError and the like: errors of ours in the other sense."""
    made = node.exc if isinstance(node, ast.Raise) else None
    return isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id.endswith("Error")


def _makes_error(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS


_PRINTS = {"_fail", "echo", "note", "reporting"}
_HELPS = {"option", "argument", "command", "group", "version_option"}


def command_texts(module: str) -> list[str]:
    """What a command can print: texts of four words, and whatever is handed to what prints; not its help."""
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    helps = {_text(part) for node in ast.walk(tree) if _is_help(node) for part in ast.walk(node)}
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    given = [each for node in ast.walk(tree) if _called(node) in _PRINTS for each in node.args[:1]]
    printed = [_text(part) for each in given for part in ast.walk(each) if id(part) not in parts]
    found = dict.fromkeys([*told_parts(module), *printed])
    return [text for text in found if re.search("[A-Za-z]{2}", text) and text not in helps]


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", None) or getattr(node.func, "id", "")


def _is_help(node: ast.AST) -> bool:
    """Options and arguments, and the table of commands with what each does."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id == "COMMANDS"
    return _called(node) in _HELPS
