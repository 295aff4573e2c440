"""The mechanisms of a comparison: each in its spelling; a list of values gives one mechanism for each."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import product

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.base import Mechanism


def spellings(mechanisms: Iterable[Mechanism | str]) -> tuple[str, ...]:
    """Each once, as `repr` spells it."""
    found = dict.fromkeys(
        spelling
        for each in mechanisms
        for spelling in (_of_text(each) if isinstance(each, str) else [repr(each)])
    )
    if not found:
        raise InputError(
            "Give at least one mechanism to compare, such as 'Korolova(epsilon=[1, 2, 4], delta=1e-6, d=5)'."
        )
    return tuple(found)


def _of_text(text: str) -> Iterator[str]:
    """'Korolova(epsilon=[1, 2], delta=1e-6, d=5)' is two mechanisms; several lists make every combination."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        call = None
    if not isinstance(call, ast.Call):
        yield repr(parse(text))
        return
    choices = []
    for keyword in call.keywords:
        values = keyword.value.elts if isinstance(keyword.value, ast.List) else [keyword.value]
        if not values:
            raise InputError(
                f"The list of '{keyword.arg}' is empty in {text!r}: give at least one value, such as [1, 2, "
                "4]."
            )
        choices.append([ast.keyword(keyword.arg, value) for value in values])
    for chosen in product(*choices):
        yield repr(parse(ast.unparse(ast.Call(call.func, call.args, list(chosen)))))
