/** Schnorr proofs of knowledge for linear equations between points (Fiat–Shamir): `target = Σ secret[i] · base`. */

import { type Bytes, concat, frame, type Randomness, utf8 } from "./bytes.ts";
import { decodeScalar, encodeScalar, hashToScalar, modulo, multiply, type Point, randomScalar, SIZE } from "./group.ts";

export interface Equation {
  readonly target: Point;
  readonly terms: readonly (readonly [number: number, base: Point])[];
}

/** The challenge, then one response per secret; the label keeps proofs of different shapes apart. */
export function prove(label: string, equations: readonly Equation[], secrets: readonly bigint[], message: Bytes, randomness: Randomness): Bytes {
  const masks = secrets.map(() => randomScalar(randomness));
  const challenge = challengeOf(label, equations, equations.map(({ terms }) => combine(terms, masks)), message);
  const responses = secrets.map((secret, index) => modulo((masks[index] as bigint) - challenge * secret));
  return concat(encodeScalar(challenge), ...responses.map(encodeScalar));
}

export function proved(label: string, equations: readonly Equation[], proof: Bytes, message: Bytes): boolean {
  const secrets = 1 + Math.max(...equations.flatMap(({ terms }) => terms.map(([number]) => number)));
  if (proof.length !== SIZE * (1 + secrets)) return false;
  try {
    const [challenge, ...responses] = Array.from({ length: 1 + secrets }, (_, i) => decodeScalar(proof.slice(i * SIZE, (i + 1) * SIZE))) as [bigint, ...bigint[]];
    const commitments = equations.map(({ target, terms }) => multiply(challenge, target).add(combine(terms, responses)));
    return challenge === challengeOf(label, equations, commitments, message);
  } catch {
    return false;
  }
}

function combine(terms: Equation["terms"], scalars: readonly bigint[]): Point {
  return terms.map(([number, base]) => multiply(scalars[number] as bigint, base)).reduce((sum, point) => sum.add(point));
}

function challengeOf(label: string, equations: readonly Equation[], commitments: readonly Point[], message: Bytes): bigint {
  const statement = equations.map(({ target, terms }) => frame(target.toBytes(), ...terms.map(([, base]) => base.toBytes())));
  const committed = frame(...commitments.map((point) => point.toBytes()));
  return hashToScalar(concat(...statement, committed, message), utf8(`crowdlog-v1-proof-${label}`));
}
