/** What a client refuses, and what its shares are. */

import { describe, expect, it } from "vitest";
import vectors from "../../tests/vectors/crowd-v2.json";
import { frame, fromHex, PrivacyRefusal, ReportError, systemRandomness, toHex, utf8 } from "../lib/bytes.ts";
import { Collection } from "../lib/collection.ts";
import { acceptCredential, Credentials, requestCredential } from "../lib/credential.ts";
import { sealLayer } from "../lib/envelope.ts";
import { decodePoint, decodeScalar, encodeScalar, multiply, ORDER, Point } from "../lib/group.ts";
import { makeReport } from "../lib/report.ts";
import { secret, value } from "../lib/shamir.ts";
import { prove, proved } from "../lib/sigma.ts";
import { seeded } from "./seeded.ts";

const [flat, nested] = vectors.collections as [(typeof vectors.collections)[0], (typeof vectors.collections)[0]];
const terms = JSON.parse(flat.terms) as Record<string, unknown>;
const withTerms = (change: Record<string, unknown>): Collection => Collection.fromJson(JSON.stringify({ ...terms, ...change }));
const collection = Collection.fromJson(flat.terms);
const credential = Credentials.fromBytes(fromHex(flat.credentials)).of.report;

describe("terms", () => {
  it.each([{ k: 4 }, { k: 0 }, { inner_k: 4 }, { mix_publics: [] }])("that protect too little are refused: %o", (change) => {
    expect(() => withTerms(change)).toThrow(PrivacyRefusal);
  });
  it.each([{ k: 5000 }, { k: "5" }, { k: 5.5 }, { payload_size: 1 }, { inner_slots: 0 }, { inner_slots: 17 }, { inner_k: 9, payload_size: 4096, inner_slots: 4 }, { voprf_public: "" }, { voprf_public: "zz" }, { mix_publics: 1 }, { version: 1 }, { terms: "00" }, { limit: 0 }, { report_issuer: "" }])(
    "out of range are refused: %o",
    (change) => {
      expect(() => withTerms(change)).toThrow(ReportError);
    },
  );
  it("must be an object", () => {
    for (const text of ["", "null", "3", "{"]) expect(() => Collection.fromJson(text)).toThrow(ReportError);
  });
  it("have levels", () => {
    expect(() => collection.bar(1)).toThrow(ReportError);
    expect(Collection.fromJson(nested.terms).bar(1)).toBe(9);
  });
});

describe("reports", () => {
  const rand = new Uint8Array(64);
  it("have one length whatever they hold, and never the same bytes", () => {
    const [short, long] = ["a", "a".repeat(218)].map((text) => makeReport(collection, credential, rand, { primary: utf8(text) }, systemRandomness, { slot: 0 }));
    const again = makeReport(collection, credential, rand, { primary: utf8("a") }, systemRandomness, { slot: 0 });
    expect(long).toHaveLength((short as Uint8Array).length);
    expect(short).toHaveLength(collection.reportSize());
    expect(toHex(again.slice(0, 168))).toBe(toHex((short as Uint8Array).slice(0, 168)));
    expect(toHex(again.slice(168))).not.toBe(toHex((short as Uint8Array).slice(168)));
  });
  it("refuse slots beyond the limit", () => {
    for (const slot of [-1, 100, 0.5]) expect(() => makeReport(collection, credential, rand, { primary: utf8("a") }, systemRandomness, { slot })).toThrow(ReportError);
  });
  it("refuse artifacts that are too long, without quoting them", () => {
    expect(() => makeReport(collection, credential, rand, { primary: utf8("canary".repeat(40)) }, systemRandomness, { slot: 0 })).toThrow(/^told_too_long 22$/);
  });
  it("hold inner reports only in nested collections", () => {
    expect(() => makeReport(collection, credential, rand, { primary: utf8("a") }, systemRandomness, { slot: 0, inner: [new Uint8Array(612)] })).toThrow(ReportError);
    const two = Collection.fromJson(nested.terms);
    const inside = new Uint8Array(two.reportSize(1));
    const report = (inner: Uint8Array[]) => makeReport(two, credential, rand, { primary: utf8("a") }, systemRandomness, { slot: 0, inner });
    expect([[], [inside], [inside, inside]].map((inner) => report(inner).length)).toEqual(Array(3).fill(two.reportSize()));
    for (const bad of [[inside, inside, inside], [inside.slice(1)]]) expect(() => report(bad)).toThrow(ReportError);
  });
});

describe("credentials", () => {
  it("of another key are refused", () => {
    const pending = requestCredential(collection, seeded(2));
    const response = flat.responses.report;
    for (const bad of [response.slice(2), "00".repeat(384), response.slice(0, -64) + "00".repeat(32), nested.responses.report, flat.responses.admission]) {
      expect(() => acceptCredential(pending, collection, fromHex(bad), "report")).toThrow(ReportError);
    }
    expect(() => Credentials.fromBytes(new Uint8Array(224))).toThrow(ReportError);
    expect(() => Credentials.fromBytes(new Uint8Array(95))).toThrow(ReportError);
  });
});

describe("the parts", () => {
  it("share and open a secret", () => {
    const polynomial = [11n, 22n, ORDER - 1n];
    const shares = [3n, 5n, 7n].map((x) => [x, value(polynomial, x)] as const);
    expect(secret(shares)).toBe(11n);
    expect(secret(shares.slice(1))).not.toBe(11n);
  });
  it("prove what is true only", () => {
    const statement = [{ target: multiply(5n, Point.BASE), terms: [[0, Point.BASE] as const] }];
    expect(proved("t", statement, prove("t", statement, [5n], utf8("m"), systemRandomness), utf8("m"))).toBe(true);
    expect(proved("t", statement, prove("t", statement, [6n], utf8("m"), systemRandomness), utf8("m"))).toBe(false);
    expect(proved("t", statement, new Uint8Array(64), utf8("m"))).toBe(false);
    expect(proved("t", statement, new Uint8Array(63), utf8("m"))).toBe(false);
  });
  it("read canonical encodings only", () => {
    expect(decodeScalar(encodeScalar(ORDER - 1n))).toBe(ORDER - 1n);
    expect(() => decodeScalar(encodeScalar(ORDER))).toThrow(ReportError);
    expect(() => decodePoint(new Uint8Array(32))).toThrow(ReportError);
    expect(() => decodePoint(new Uint8Array(32).fill(255))).toThrow(ReportError);
    expect(() => multiply(0n, Point.BASE)).toThrow(ReportError);
    expect(() => fromHex("0")).toThrow(ReportError);
    expect(() => frame(new Uint8Array(65536))).toThrow(ReportError);
  });
  it("refuse keys that share no secret", () => {
    for (const key of [new Uint8Array(32), new Uint8Array(31)]) expect(() => sealLayer(key, utf8("a"), systemRandomness(32))).toThrow(ReportError);
  });
});
