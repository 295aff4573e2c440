/** Schnorr proofs of knowledge for linear equations between points (Fiat–Shamir): `target = Σ secret[i] · base`. */

import { type Bytes, concat, frame, type Randomness, toHex, utf8 } from "./bytes.ts";
import { decodeScalar, encodeScalar, hashToScalar, modulo, multiply, type Point, randomScalar, SIZE } from "./group.ts";

export interface Equation {
  readonly target: Point;
  readonly terms: readonly (readonly [number: number, base: Point])[];
}

/** One commitment per equation, then one response per secret; the label keeps proofs of different shapes apart. */
export function prove(label: string, equations: readonly Equation[], secrets: readonly bigint[], message: Bytes, randomness: Randomness): Bytes {
  const masks = secrets.map(() => randomScalar(randomness));
  const commitments = equations.map(({ terms }) => combine(terms, masks).toBytes());
  const challenge = challengeOf(label, equations, commitments, message);
  const responses = secrets.map((secret, index) => modulo((masks[index] as bigint) - challenge * secret));
  return concat(...commitments, ...responses.map(encodeScalar));
}

export function proved(label: string, equations: readonly Equation[], proof: Bytes, message: Bytes): boolean {
  const secrets = 1 + Math.max(...equations.flatMap(({ terms }) => terms.map(([number]) => number)));
  if (proof.length !== SIZE * (equations.length + secrets)) return false;
  const parts = Array.from({ length: equations.length + secrets }, (_, i) => proof.slice(i * SIZE, (i + 1) * SIZE));
  const commitments = parts.slice(0, equations.length);
  const challenge = challengeOf(label, equations, commitments, message);
  try {
    const responses = parts.slice(equations.length).map(decodeScalar);
    return equations.every(({ target, terms }, index) => {
      const expected = multiply(challenge, target).add(combine(terms, responses)).toBytes();
      return toHex(expected) === toHex(commitments[index] as Bytes);
    });
  } catch {
    return false;
  }
}

function combine(terms: Equation["terms"], scalars: readonly bigint[]): Point {
  return terms.map(([number, base]) => multiply(scalars[number] as bigint, base)).reduce((sum, point) => sum.add(point));
}

function challengeOf(label: string, equations: readonly Equation[], commitments: readonly Bytes[], message: Bytes): bigint {
  const statement = equations.map(({ target, terms }) => frame(target.toBytes(), ...terms.map(([, base]) => base.toBytes())));
  return hashToScalar(concat(...statement, frame(...commitments), message), utf8(`crowdlog-v2-proof-${label}`));
}
