/** Every step of a client gives the bytes of the Python package from the same randomness. */

import { describe, expect, it } from "vitest";
import vectors from "../../tests/vectors/crowd-v1.json";
import { fromHex, toHex, utf8 } from "../lib/bytes.ts";
import { Collection } from "../lib/collection.ts";
import { acceptCredential, Credential, requestCredential } from "../lib/credential.ts";
import { sealOnion } from "../lib/envelope.ts";
import { makeReport } from "../lib/report.ts";
import { blind, finalize } from "../lib/voprf.ts";
import { seeded } from "./seeded.ts";

describe.each(vectors.collections)("collection $id", (vector) => {
  const collection = Collection.fromJson(vector.terms);
  const credential = Credential.fromBytes(fromHex(vector.credential));

  it("has the same name", () => {
    expect(toHex(collection.id)).toBe(vector.id);
  });

  it("is joined with the same request and answer", () => {
    const pending = requestCredential(collection, seeded(vector.seeds.request));
    expect(toHex(pending.request)).toBe(vector.request);
    expect(toHex(acceptCredential(pending, collection, fromHex(vector.response)).toBytes())).toBe(vector.credential);
  });

  it.each(vector.artifacts)("gives the same report of artifact %#", (step) => {
    const artifact = { primary: utf8(step.primary), secondary: utf8(step.secondary) };
    const request = blind(collection.voprfInput(artifact.primary), seeded(vector.seeds.blind));
    expect(toHex(request.element)).toBe(step.element);
    const [rand] = finalize(collection.voprfPublic, [request], fromHex(step.answer)) as [Uint8Array];
    expect(toHex(rand)).toBe(step.rand);
    const inner = step.inner.map((one) => makeReport(collection, credential, fromHex(one.rand), { primary: utf8(one.primary) }, seeded(vector.seeds.inner), { level: 1 }));
    expect(inner.map(toHex)).toEqual(step.inner.map((one) => one.report));
    const report = makeReport(collection, credential, rand, artifact, seeded(vector.seeds.report), { inner });
    expect(toHex(report)).toBe(step.report);
    expect(toHex(sealOnion(collection.mixPublics, report, seeded(vector.seeds.envelope)))).toBe(step.envelope);
  });
});
