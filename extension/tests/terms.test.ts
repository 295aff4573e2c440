/** The hash of a collection's terms and a client's draws are those of the Python package. */

import { describe, expect, it } from "vitest";
import vectors from "../../tests/vectors/crowd-client.json";
import { PrivacyRefusal, ReportError, toHex } from "../lib/bytes.ts";
import { sampled, shuffled, uniformBelow } from "../lib/choice.ts";
import { canonical, collectionOf, type Json } from "../lib/terms.ts";
import { seeded } from "./seeded.ts";

describe("terms", () => {
  it.each(vectors.manifests)("have the same spelling and id $id", ({ manifest, canonical: spelled, id }) => {
    const { collection: _cryptographic, ...description } = manifest;
    expect(canonical(description as unknown as Json)).toBe(spelled);
    expect(toHex(collectionOf(manifest as never).id)).toBe(id);
  });
  it("are refused when any of them is changed", () => {
    for (const change of [{ title: "x" }, { sampling: 999_999 }, { cover: false }, { job: {} }, { more: 1 }]) {
      expect(() => collectionOf({ ...vectors.manifests[0]?.manifest, ...change } as never)).toThrow(PrivacyRefusal);
    }
  });
  it("hold whole numbers only, and names in the order of their code points", () => {
    expect(() => canonical({ a: 0.5 })).toThrow(ReportError);
    expect(canonical({ "\u{1F600}": 1, "\uFFFD": 2, a: [true, null] })).toBe('{"a":[true,null],"\uFFFD":2,"\u{1F600}":1}');
  });
});

describe("draws", () => {
  const order = (n: number) => Array.from({ length: n }, (_value, index) => index);
  it("are the same", () => {
    for (const [n, drawn] of vectors.below as [number, number[]][]) expect(drawn.map((_value, seed) => uniformBelow(n, seeded(seed)))).toEqual(drawn);
    for (const drawn of vectors.shuffled) expect(shuffled(order(drawn.length), seeded(drawn.length))).toEqual(drawn);
    for (const [millionths, drawn] of vectors.sampled as [number, number[]][]) expect(sampled(order(400), millionths, seeded(millionths))).toEqual(drawn);
  });
});
