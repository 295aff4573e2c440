/** The client's side of credentials: one person, counted once per artifact, within her limit, and never recognised. docs/protocol.md and proofs/crowdlogging.md. */

import { type Bytes, concat, frame, type Randomness, ReportError, toHex, utf8 } from "./bytes.ts";
import { type Collection, type Issuer, ISSUERS } from "./collection.ts";
import { decodePoint, decodeScalar, encodeScalar, hashToGroup, hashToScalar, modulo, multiply, Point, randomScalar, SIZE } from "./group.ts";
import { type Equation, prove, proved } from "./sigma.ts";

const SECOND = hashToGroup(utf8("second generator"), utf8("crowdlog-v2-generator"));
export const SHOWN_SIZE = 5 * SIZE;

/** What a client keeps between asking and being answered: only `request` is sent. */
export interface PendingCredential {
  readonly secret: bigint;
  readonly request: Bytes;
}

/** The MAC of one issuer on a person's secret. */
export interface Credential {
  readonly secret: bigint;
  readonly u: Point;
  readonly mac: Point;
}

/** A person's credentials, one of each issuer, on one secret. */
export class Credentials {
  readonly of: Readonly<Record<Issuer, Credential>>;

  constructor(of: Readonly<Record<Issuer, Credential>>) {
    this.of = of;
  }

  toBytes(): Bytes {
    return concat(encodeScalar(this.of.report.secret), ...ISSUERS.flatMap((name) => [this.of[name].u.toBytes(), this.of[name].mac.toBytes()]));
  }

  static fromBytes(data: Bytes): Credentials {
    const size = SIZE * (1 + 2 * ISSUERS.length);
    if (data.length !== size) throw new ReportError("told_credentials", size, data.length);
    const secret = decodeScalar(data.slice(0, SIZE));
    const point = (index: number): Point => decodePoint(data.slice(index * SIZE, (index + 1) * SIZE));
    const one = (index: number): Credential => ({ secret, u: point(1 + 2 * index), mac: point(2 + 2 * index) });
    return new Credentials({ report: one(0), evaluation: one(1), admission: one(2) });
  }
}

export function requestCredential(collection: Collection, randomness: Randomness): PendingCredential {
  const secret = randomScalar(randomness);
  const point = multiply(secret, Point.BASE);
  const proof = prove("request", [{ target: point, terms: [[0, Point.BASE]] }], [secret], collection.id, randomness);
  return { secret, request: concat(point.toBytes(), proof) };
}

/** Checks the answer; a MAC under any other key than the collection's is refused, for it could be used to recognise its owner. */
export function acceptCredential(pending: PendingCredential, collection: Collection, response: Bytes, issuer: Issuer): Credential {
  const size = 12 * SIZE;
  if (response.length !== size) throw new ReportError("told_credential_answer", size, response.length);
  const point = (data: Bytes, index: number): Point => decodePoint(data.slice(index * SIZE, (index + 1) * SIZE));
  const [u, mac, helper] = [point(response, 0), point(response, 1), point(response, 2)];
  const key = collection.issuers[issuer];
  const [commitment, x1Public] = [point(key, 0), point(key, 1)];
  // Secrets: x0, mask, b, t = b·x1.
  const statement: Equation[] = [
    { target: u, terms: [[2, Point.BASE]] },
    { target: mac, terms: [[0, u], [3, point(pending.request, 0)]] },
    { target: commitment, terms: [[0, Point.BASE], [1, SECOND]] },
    { target: helper, terms: [[2, x1Public]] },
    { target: helper, terms: [[3, SECOND]] },
  ];
  if (!proved("issue", statement, response.slice(3 * SIZE), concat(collection.id, utf8(issuer)))) {
    throw new ReportError("told_credential_forged");
  }
  return { secret: pending.secret, u, mac };
}

/** The name of this person for this context: always the same here, unlinkable elsewhere. */
export function pseudonym(credential: Credential, context: Bytes): Point {
  return multiply(credential.secret, pseudonymBase(context));
}

/** Proves that these pseudonyms belong to one credential, all to the same; the proof is bound to the message. */
export function show(credential: Credential, named: readonly (readonly [context: Bytes, name: Point])[], message: Bytes, randomness: Randomness): Bytes {
  const a = randomScalar(randomness);
  const u = multiply(a, credential.u);
  const mac = multiply(a, credential.mac);
  const bases = named.map(([context]) => pseudonymBase(context));
  const fields = named.flatMap(([, name], index) => [name.toBytes(), (bases[index] as Point).toBytes()]);
  const statement = frame(u.toBytes(), mac.toBytes(), ...fields);
  const base = bases.reduce((sum, point, index) => sum.add(multiply(showFactor(statement, index), point)));
  const mask = randomScalar(randomness);
  const commitments = concat(multiply(mask, u).toBytes(), multiply(mask, base).toBytes());
  const challenge = showChallenge(statement, commitments, message);
  return concat(u.toBytes(), mac.toBytes(), commitments, encodeScalar(modulo(mask - challenge * credential.secret)));
}

/** Whether the half of a showing of one pseudonym holds that anybody can check: it is bound to all bytes of it, to the pseudonym and to the
 *  message, so that none of them has changed since. */
export function unchanged(shown: Bytes, context: Bytes, name: Bytes, message: Bytes): boolean {
  if (shown.length !== SHOWN_SIZE) return false;
  const [u, mac, first, second, response] = [0, 1, 2, 3, 4].map((i) => shown.slice(i * SIZE, (i + 1) * SIZE)) as [Bytes, Bytes, Bytes, Bytes, Bytes];
  const base = pseudonymBase(context);
  const challenge = showChallenge(frame(u, mac, name, base.toBytes()), concat(first, second), message);
  try {
    return toHex(multiply(challenge, decodePoint(name)).add(multiply(decodeScalar(response), base)).toBytes()) === toHex(second);
  } catch {
    return false;
  }
}

function showChallenge(statement: Bytes, commitments: Bytes, message: Bytes): bigint {
  return hashToScalar(concat(statement, commitments, message), utf8("crowdlog-v2-proof-show"));
}

/** What the second and later pseudonyms are multiplied with before all are added up: known only when all of them are. */
function showFactor(statement: Bytes, index: number): bigint {
  return hashToScalar(concat(statement, Uint8Array.of(index)), utf8("crowdlog-v2-showing-factor"));
}

function pseudonymBase(context: Bytes): Point {
  return hashToGroup(context, utf8("crowdlog-v2-pseudonym"));
}
