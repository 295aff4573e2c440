/** The client's cryptography; the same bytes as the Python package `crowdlog.crowd.crypto`. */

export { type Bytes, fromHex, PrivacyRefusal, type Randomness, ReportError, systemRandomness, toHex, utf8 } from "./bytes.ts";
export { sampled, shuffled, uniformBelow } from "./choice.ts";
export { Collection, type Issuer, ISSUERS, type Level, MIN_K, type Numbers } from "./collection.ts";
export { acceptCredential, type Credential, Credentials, type PendingCredential, pseudonym, requestCredential, show } from "./credential.ts";
export { sealOnion } from "./envelope.ts";
export { type Artifact, makeReport, type ReportOptions } from "./report.ts";
export { canonical, collectionOf, digestOf, type Json } from "./terms.ts";
export { type Blinded, blind, blindWith, finalize } from "./voprf.ts";
