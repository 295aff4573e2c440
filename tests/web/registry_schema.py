"""The schema of an entry of OpenDP's registry of deployments: fields, what is required, what may be said.

As `schemas/deployments-schema.yaml` of opendp/deployments-registry-data has it at commit 057e5d81 (read in
November 2026), without its descriptions.
"""

from __future__ import annotations

from typing import Any


def _object(required: str = "", **fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": required.split(),
        "additionalProperties": False,
    }


def _one_of(*values: Any) -> dict[str, Any]:
    return {"type": "integer" if isinstance(values[0], int) else "string", "enum": list(values)}


ANY: dict[str, Any] = {}
TEXT = {"type": "string"}
NUMBER = {"type": "number"}
TEXT_OR_NUMBER = {"anyOf": [TEXT, NUMBER]}
_WORDS = (
    "address annote author booktitle doi editor email howpublished institution journal note organization "
    "publisher school type series title url"
)
_NUMBERED = "chapter edition issn isbn month number pages volume year"
BIBLIOGRAPHY = _object(
    **dict.fromkeys(_WORDS.split(), TEXT), **dict.fromkeys(_NUMBERED.split(), TEXT_OR_NUMBER)
)
SOURCE = _one_of(
    "Peer-reviewed publication",
    "Formal publication by the deploying organization",
    "Authorized organizational attestation",
    "Other public source",
)
_PUBLICATIONS = (
    "article book booklet conference inbook incollection inproceedings manual mastersthesis misc phdthesis "
    "proceedings techreport unpublished"
)
SCHEMA = _object(
    "url_slug deployment",
    url_slug=TEXT,
    deployment=_object(
        "basic administrative",
        basic=_object(
            "name data_curators description intended_use data_product_type data_product_region"
            " publication_date",
            name=TEXT,
            data_curators={
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["data_curator_name", "data_curator_type"],
                    "properties": {
                        "data_curator_name": TEXT,
                        "data_curator_type": _one_of("Government", "Industry", "Nonprofit"),
                    },
                },
            },
            description=TEXT,
            intended_use=TEXT,
            data_product_type=_one_of(
                "Summary statistics",
                "Machine learning model",
                "Dataset",
                "Synthetic data",
                "Interactive API",
                "SQL queries",
            ),
            data_product_region=TEXT,
            data_product_sector=_one_of(
                "Technology", "Healthcare", "Education", "Government", "Energy", "Finance"
            ),
            publication_date={"type": "string", "format": "date"},
        ),
        dp_variant=_object(
            variant_name=_one_of("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"),
            data_domain=TEXT,
            unprotected_quantities=TEXT,
        ),
        privacy_loss=_object(
            privacy_unit=TEXT,
            privacy_unit_details=TEXT,
            number_of_privacy_units={"type": "integer"},
            privacy_parameters=_object(epsilon=NUMBER, delta={"type": ["number", "string"]}, rho=NUMBER),
            privacy_parameters_details=ANY,
        ),
        deployment_model=_object(
            model_name=_one_of("Local", "Central", "Shuffle", "Federated", "Varies"),
            model_name_details=TEXT,
            trust_assumptions=TEXT,
            actors=ANY,
            release_type=_one_of("One release", "Many releases"),
            release_type_details=TEXT,
            data_source_type=_one_of("Static", "Dynamic"),
            data_source_type_details=TEXT,
            access_type=_one_of("Interactive", "Non-interactive"),
            access_type_details=TEXT,
        ),
        implementation=_object(
            preprocessing_and_hyperparameter_tuning=TEXT,
            mechanisms=TEXT,
            composition=TEXT,
            post_processing=TEXT,
            justification=TEXT,
            utility=ANY,
            additional_information=ANY,
        ),
        administrative=_object(
            "status registry_authors tier",
            evidence_sources={
                "type": "object",
                "patternProperties": {
                    r"^\w+$": {
                        "oneOf": [
                            _object(**{"evidence_source_type": SOURCE, kind: BIBLIOGRAPHY})
                            for kind in _PUBLICATIONS.split()
                        ]
                    }
                },
            },
            status=_one_of(
                "Converted",
                "Draft",
                "Pending",
                "Changes Required",
                "Approved",
                "Approved (Update Requested)",
                "Approved (Pending)",
            ),
            registry_authors={"type": "array", "items": TEXT, "minItems": 1},
            tier=_one_of(1, 2, 3),
        ),
    ),
)
