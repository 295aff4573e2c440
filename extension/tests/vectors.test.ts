/** Every step of a client gives the bytes of the Python package from the same randomness. */

import { describe, expect, it } from "vitest";
import vectors from "../../tests/vectors/crowd-v2.json";
import { fromHex, toHex, utf8 } from "../lib/bytes.ts";
import { Collection, type Issuer } from "../lib/collection.ts";
import { acceptCredential, Credentials, pseudonym, requestCredential, show } from "../lib/credential.ts";
import { sealOnion } from "../lib/envelope.ts";
import { makeReport } from "../lib/report.ts";
import { blind, finalize } from "../lib/voprf.ts";
import { seeded } from "./seeded.ts";

describe.each(vectors.collections)("collection $id", (vector) => {
  const collection = Collection.fromJson(vector.terms);
  const credentials = Credentials.fromBytes(fromHex(vector.credentials));
  const credential = credentials.of.report;

  it("has the same name", () => {
    expect(toHex(collection.id)).toBe(vector.id);
  });

  it("is joined with the same request and answer", () => {
    const pending = requestCredential(collection, seeded(vector.seeds.request));
    expect(toHex(pending.request)).toBe(vector.request);
    const accept = (issuer: Issuer) => acceptCredential(pending, collection, fromHex(vector.responses[issuer]), issuer);
    const accepted = { report: accept("report"), evaluation: accept("evaluation"), admission: accept("admission") };
    expect(toHex(new Credentials(accepted).toBytes())).toBe(vector.credentials);
  });

  it("shows the same slot", () => {
    const context = collection.slotContext("evaluation", 7);
    const name = pseudonym(credentials.of.evaluation, context);
    expect(toHex(name.toBytes())).toBe(vector.evaluation_slot_7.name);
    const proof = show(credentials.of.evaluation, [[context, name]], utf8("message"), seeded(vector.seeds.show));
    expect(toHex(proof)).toBe(vector.evaluation_slot_7.shown);
  });

  it.each(vector.artifacts.map((step, number) => ({ step, number })))("gives the same report of artifact $number", ({ step, number }) => {
    const artifact = { primary: utf8(step.primary), secondary: utf8(step.secondary) };
    const request = blind(collection.voprfInput(artifact.primary), seeded(vector.seeds.blind));
    expect(toHex(request.element)).toBe(step.element);
    const [rand] = finalize(collection.voprfPublic, [request], fromHex(step.answer)) as [Uint8Array];
    expect(toHex(rand)).toBe(step.rand);
    const inner = step.inner.map((one, pair) => makeReport(collection, credential, fromHex(one.rand), { primary: utf8(one.primary) }, seeded(vector.seeds.inner), { slot: 2 * number + pair, level: 1 }));
    expect(inner.map(toHex)).toEqual(step.inner.map((one) => one.report));
    const report = makeReport(collection, credential, rand, artifact, seeded(vector.seeds.report), { slot: number, inner });
    expect(toHex(report)).toBe(step.report);
    expect(toHex(sealOnion(collection.mixPublics, report, seeded(vector.seeds.envelope)))).toBe(step.envelope);
  });
});
