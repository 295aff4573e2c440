"""A release as an entry of the registry of differential privacy deployments (OpenDP's), to be proposed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from crowdlog.errors import InputError
from crowdlog.release.label import Label
from crowdlog.release.meaning import meaning_for_one_person

# What the registry's schema allows; everything else is "Custom" there.
_VARIANTS = {"pure DP": "Pure DP", "approximate DP": "Approximate DP"}
# The registry knows no "Distributed": people keep their logs until k of them share something.
_MODELS = {"Central": "Central", "Distributed": "Federated"}
CURATORS = ("Government", "Industry", "Nonprofit")
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")


@dataclass(frozen=True)
class Curator:
    """Who publishes, as the registry asks for it."""

    name: str
    contact: str
    purpose: str
    kind: str = "Nonprofit"
    region: str = "Global"
    sector: str = "Technology"

    def __post_init__(self) -> None:
        for said, known, what in ((self.kind, CURATORS, "kind"), (self.sector, SECTORS, "sector")):
            if said not in known:
                raise InputError(
                    f"The registry of deployments knows no {what} {said!r}. It is one of {', '.join(known)}."
                )


def registry_entry(label: Label, *, name: str, curator: Curator) -> str:
    """JSON, which is YAML as well: the registry's own layout, with what only the owner knows filled in.

    Only for differential privacy: the registry has no other promises.
    """
    text = json.dumps(_entry(label, name, curator), indent=2, ensure_ascii=False, allow_nan=False)
    # YAML 1.1 takes 1e-06 for a word, and 1.0e-06 for the number that it is in JSON.
    return re.sub(r'("(?:delta|epsilon)": \d+)e', r"\1.0e", text) + "\n"


def _source(label: Label) -> dict[str, str]:
    """Where the data come from: an owner's log with its ledger, or what people kept to themselves."""
    if label.model.name == "Distributed":
        several = "A collection is published once; what several cost the same people is the plain sum."
        source = "What people searched for while the collection was open, kept by themselves."
    else:
        several = "Several releases of the same people add up in one ledger."
        source = "A log that was imported once and is not changed."
    return {
        "release_type_details": several,
        "data_source_type": "Static",
        "data_source_type_details": source,
    }


def _entry(label: Label, name: str, curator: Curator) -> dict[str, Any]:
    # How many people there are is asked for too, and left out: most releases do not tell it.
    promise = label.promise
    guarantee = promise.guarantee
    steps = "\n".join(f"- {s.name}: {s.what} (ε = {s.epsilon:g}, δ = {s.delta:g})" for s in promise.steps)
    looks = "\n".join(f"- {look}" for look in label.looks)
    return {
        "url_slug": re.sub(r"[^a-z0-9]+", "-", f"{name} {label.date}".lower()).strip("-"),
        "deployment": {
            "basic": {
                "name": name,
                "data_curators": [{"data_curator_name": curator.name, "data_curator_type": curator.kind}],
                "description": label.description,
                "intended_use": curator.purpose,
                "data_product_type": "Summary statistics",
                "data_product_region": curator.region,
                "data_product_sector": curator.sector,
                "publication_date": label.date,
            },
            "dp_variant": {
                "variant_name": _VARIANTS.get(guarantee.kind, "Custom"),
                "data_domain": "Search logs: rows of user, query, time, rank and clicked address.",
                "unprotected_quantities": "\n".join(f"- {line}" for line in promise.unprotected),
            },
            "privacy_loss": {
                "privacy_unit": "User-level",
                "privacy_unit_details": guarantee.unit,
                "privacy_parameters": {"epsilon": guarantee.epsilon, "delta": guarantee.delta},
                "privacy_parameters_details": meaning_for_one_person(guarantee),
            },
            "deployment_model": {
                "model_name": _MODELS.get(label.model.name, "Varies"),
                "model_name_details": label.model.description,
                "trust_assumptions": "\n".join(f"- {line}" for line in promise.assumptions),
                "actors": f"- Curator: {curator.name}. Contact: {curator.contact}\n- Readers: the public.",
                "release_type": "One release",
                **_source(label),
                "access_type": "Non-interactive",
                "access_type_details": "Tables to be read.",
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": looks or "No look at the data is recorded.",
                "mechanisms": f"{' and '.join(label.mechanisms)} (crowdlog {label.software})\n{steps}",
                "composition": "The steps above add up to the privacy parameters.",
                "post_processing": "Negative counts are set to 0 where the mechanism says so.",
                "justification": "See the label of the release.",
                "utility": ", ".join(f"{rows:,} {table}" for table, rows in label.tables.items()),
                "additional_information": f"Proof: {promise.proof}",
            },
            "administrative": {
                "evidence_sources": {},
                "status": "Draft",
                "registry_authors": [curator.name],
                "tier": 3,
            },
        },
    }
