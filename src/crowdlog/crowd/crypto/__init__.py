"""The cryptography of a collection. Bytes in, bytes out; the format is written down in docs/protocol.md.

The way of one artifact, with who runs each step:

    operator     VoprfKey.generate(randomness) -> key; key.public                        (voprf.py; held by the randomness server)
                 IssuerKey.generate(randomness) -> key; key.public                       (credential.py; held by the aggregation server)
                 MixKey.generate(randomness) -> key; key.public            (envelope.py; each mix, at least two, and the aggregation server)
                 Collection(title, k, voprf_public, issuer_public, mix_publics, inner_k=0, payload_size=256, inner_slots=1)
                     .id: 32 bytes that name every field · .to_json() / Collection.from_json(text) · .bar(level) · .report_size(level)
    client       request_credential(collection, randomness) -> PendingCredential; pending.request: bytes          (credential.py)
    aggregation  issue_credential(issuer_key, collection_id, request, randomness) -> bytes
    client       accept_credential(pending, collection, response) -> Credential; .to_bytes() / Credential.from_bytes(data)
    client       blind(collection.voprf_input(primary, level), randomness) -> Blinded; blinded.element: 32 bytes   (voprf.py)
    randomness   evaluate(voprf_key, [element, ...], randomness) -> Evaluation; .to_bytes() / Evaluation.from_bytes(data)
    client       finalize(collection.voprf_public, [blinded, ...], evaluation) -> [rand, ...], 64 bytes each; checks the proof
    client       make_report(collection, credential, rand, Artifact(primary, secondary), randomness, inner=b"", level=0) -> bytes  (report.py)
    client       seal_onion(collection.mix_publics, report, randomness) -> bytes                                   (envelope.py)
    mix node     open_layer(mix_key, envelope) -> next layer's bytes (the last key opens to the report)
    aggregation  Report.parse(data) -> Report (.group: level and tag; .pseudonym: who, once per group; .level, .k, .collection, .to_bytes())
                 check_report(report, collection, issuer_key, level=0): raises ReportError unless it belongs here and its credential is good
                 open_group(reports, collection) -> Opened(artifact, people, secondaries, inner, rejected) or None     (opening.py)
                 group_reports(reports) -> {group: [reports]} · largest_per_artifact([opened, ...]) -> [opened, ...]

Whatever the outside sends is refused with ReportError, an InputError; it never holds text of an artifact.
(report.group, report.pseudonym) is the deduplication key: the same person with the same artifact always has
the same two values.
"""
