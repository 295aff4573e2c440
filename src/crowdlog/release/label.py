"""The label: what is promised, in the layout of the registry of differential privacy deployments, with what
crowdlog adds beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from crowdlog import __version__
from crowdlog.plan.as_json import from_json, to_json
from crowdlog.plan.table import TablePlan
from crowdlog.release.meaning import meaning_for_one_person
from crowdlog.release.promise import Promise, Protected, Protects

NOT_PRIVATE = (
    "NOT PRIVATE: the noise came from a fixed seed and can be repeated by anyone. Never publish this release."
)


def make_label(
    mechanism: Protects,
    promise: Promise,
    protected: Protected,
    *,
    source: str,
    charge: int,
    private: bool,
    warnings: list[str],
) -> dict[str, Any]:
    """Everything a reader of the release should know.

    Holds no text of the log and no count that was not paid for.
    """
    guarantee = promise.guarantee
    seeded = [] if private else [NOT_PRIVATE]
    return {
        "name": f"crowdlog release by {type(mechanism).__name__}",
        "description": getattr(mechanism, "title", type(mechanism).__name__),
        "data_product_type": "Search log statistics",
        "publication_date": datetime.now(UTC).date().isoformat(),
        "dp_flavor": {
            "name": guarantee.kind,
            "data_domain": "search logs: rows of (user, query, time, rank, url)",
            "unprotected_quantities": list(promise.unprotected),
        },
        "privacy_loss": {
            "privacy_unit": "one user",
            "privacy_unit_description": "Neighbouring logs differ in all rows of one user, added or removed.",
            "privacy_parameters": {"epsilon": guarantee.epsilon, "delta": guarantee.delta}
            if guarantee.protects
            else {},
            **({"k": guarantee.k} if guarantee.k is not None else {}),
            "privacy_parameters_description": meaning_for_one_person(guarantee),
        },
        "model": {
            "model_name": "Central",
            "model_name_description": "The owner of the log runs the mechanism and publishes its output only.",
            "release_type": "Static",
            "is_interactive": False,
        },
        "accounting": {
            "composition": "sum over the steps below",
            "steps": [_step(step) for step in promise.steps],
        },
        "implementation": {
            "mechanism": repr(mechanism),
            "published_in": getattr(mechanism, "source", ""),
            "settings": dict(promise.settings),
            "as_published": dict(promise.as_published),
            "assumptions": list(promise.assumptions),
            "errata": list(promise.errata),
            "proof": promise.proof,
        },
        "crowdlog": {
            "version": __version__,
            "mechanism": repr(mechanism),
            "private": private,
            "warnings": seeded + warnings,
            "counts": promise.counts,
            "tables": {name: table.num_rows for name, table in protected.tables.items()},
            "plan": to_json(promise.tables),
            "error_bars": {plan.name: plan.noise.sd for plan in promise.tables if plan.noise is not None},
            "notes": dict(protected.notes),
            "source": source,
            "charge": charge,
        },
    }


def _step(step: Any) -> Mapping[str, Any]:
    return {"name": step.name, "what": step.what, "epsilon": step.epsilon, "delta": step.delta}


def plans_of(label: Mapping[str, Any]) -> tuple[TablePlan, ...]:
    """The plan of each table of counts; none for a release of rows."""
    return from_json(label.get("crowdlog", {}).get("plan", []))
