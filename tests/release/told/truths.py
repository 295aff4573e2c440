"""What may be true of a release, by its label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crowdlog.mechanisms import parse
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.release.label import Label

True_ = Callable[[Label], bool]


def dp(label: Label) -> bool:
    return label.promise.guarantee.protects


def kind(*kinds: str) -> True_:
    return lambda label: label.promise.guarantee.kind in kinds


def shows(table: str) -> True_:
    """A chart of the table is on the page."""
    return lambda label: bool(label.tables.get(table))


def always(_label: Label) -> bool:
    return True


def unsafe(label: Label) -> bool:
    return any(parse(spelling).unsafe for spelling in label.mechanisms)


def seeded(label: Label) -> bool:
    return not label.noise_from_system


def some_table(test: Callable[[TablePlan], bool]) -> True_:
    """The plan of a published table is so."""
    return lambda label: any(test(plan) for plan in label.plans)


def bounded(kind: type) -> True_:
    return some_table(lambda plan: isinstance(plan.bound, kind))


def thresholded(plan: TablePlan) -> bool:
    return isinstance(plan.selection, NoisyThreshold)


def mechanism(label: Label) -> Any:
    """What it was made by."""
    return parse(label.mechanisms[0])


def by(*names: str, where: Callable[[Any], bool] = lambda _mechanism: True) -> True_:
    """It was made by one of these, with such parameters."""

    def true(label: Label) -> bool:
        made = mechanism(label)
        return type(made).__name__ in names and where(made)

    return true


@dataclass(frozen=True)
class Filled:
    """True of these releases, with these numbers (of the mechanism) in its gaps."""

    true: True_
    numbers: Callable[[Any], tuple[object, ...]]

    def __call__(self, label: Label) -> bool:
        return self.true(label)

    def text(self, sentence: str, label: Label) -> str:
        """The sentence as it must be printed."""
        for number in self.numbers(mechanism(label)):
            sentence = sentence.replace("{}", str(number), 1)
        return sentence
