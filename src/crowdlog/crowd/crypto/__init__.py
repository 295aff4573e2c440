"""The cryptography of a collection. Bytes in, bytes out; the format is written down in docs/protocol.md.

The way of one artifact, with who runs each step:

    operator
        VoprfKey.generate(randomness) -> key; key.public            (voprf.py; held by the randomness server)
        IssuerKey.generate(randomness) -> key; key.public       (credential.py; of the aggregation server)
        MixKey.generate(randomness) -> key; key.public   (envelope.py; two mixes or more, and the aggregation)
        Collection(title, k, voprf_public, issuer_public, mix_publics, inner_k, payload_size, inner_slots)
            .id: 32 bytes that name every field; .to_json() / Collection.from_json(text)
    client: join
        request_credential(collection, randomness) -> PendingCredential; .request: bytes       (credential.py)
    aggregation
        issue_credential(issuer_key, collection_id, request, randomness) -> bytes
    client: make a report
        accept_credential(pending, collection, response) -> Credential
        blind(collection.voprf_input(primary, level), randomness) -> Blinded; .element: 32 bytes    (voprf.py)
    randomness
        evaluate(voprf_key, [element, ...], randomness) -> Evaluation
    client: send it
        finalize(collection.voprf_public, [blinded, ...], evaluation) -> [rand, ...]; checks the proof
        make_report(collection, credential, rand, ReportedArtifact(primary, secondary), randomness) -> bytes
        seal_onion(collection.mix_publics, report, randomness) -> bytes                          (envelope.py)
    mix
        open_layer(mix_key, envelope) -> the next layer's bytes; the last key opens to the report
    aggregation
        Report.parse(data) -> Report: .group is level and tag, .pseudonym is who, once in each group
        check_report(report, collection, issuer_key, level): raises ReportError unless it belongs here
        group_reports(reports) -> {group: [reports]}
        open_group(reports, collection) -> Opened or None                                         (opening.py)
        largest_per_artifact([opened, ...]) -> [opened, ...]

Whatever the outside sends is refused with ReportError, an InputError; it never holds text of an artifact.
(report.group, report.pseudonym) is the deduplication key: the same person with the same artifact always has
the same two values.
"""
