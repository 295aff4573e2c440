/** RFC 9497's own vectors, and a server that cheats. */

import { ristretto255_oprf } from "@noble/curves/ed25519.js";
import { describe, expect, it } from "vitest";
import rfc from "../../tests/vectors/rfc9497-voprf.json";
import { concat, fromHex, ReportError, toHex, utf8 } from "../lib/bytes.ts";
import { decodeScalar } from "../lib/group.ts";
import { blind, blindWith, finalize } from "../lib/voprf.ts";
import { seeded } from "./seeded.ts";

describe("RFC 9497", () => {
  it.each(rfc.vectors)("gives the RFC's bytes for $input", (vector) => {
    const blinded = vector.input.map((input, index) => blindWith(fromHex(input), decodeScalar(fromHex(vector.blind[index] as string))));
    expect(blinded.map(({ element }) => toHex(element))).toEqual(vector.blinded);
    const answer = fromHex(vector.proof + vector.evaluated.join(""));
    expect(finalize(fromHex(rfc.public), blinded, answer).map(toHex)).toEqual(vector.output);
  });
});

describe("a cheating server", () => {
  const { secretKey, publicKey } = ristretto255_oprf.voprf.generateKeyPair();
  const items = [blind(utf8("a"), seeded(1)), blind(utf8("b"), seeded(2))];
  const answer = (secret: Uint8Array, key: Uint8Array): Uint8Array => {
    const { evaluated, proof } = ristretto255_oprf.voprf.blindEvaluateBatch(secret as never, key as never, items.map(({ element }) => element) as never);
    return concat(proof, ...evaluated);
  };

  it("is believed when honest", () => {
    expect(finalize(publicKey, items, answer(secretKey, publicKey))).toHaveLength(2);
  });

  it("is noticed with another key, another order or another number", () => {
    const other = ristretto255_oprf.voprf.generateKeyPair();
    const good = answer(secretKey, publicKey);
    const swapped = concat(good.slice(0, 64), good.slice(96), good.slice(64, 96));
    for (const bad of [answer(other.secretKey, other.publicKey), swapped, good.slice(0, 96), new Uint8Array(128), new Uint8Array()]) {
      expect(() => finalize(publicKey, items, bad)).toThrow(ReportError);
    }
  });

  it("gets no input that is too long", () => {
    expect(() => blind(new Uint8Array(65536), seeded(1))).toThrow(ReportError);
  });
});
