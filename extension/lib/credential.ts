/** The client's side of a credential: one person, counted once per artifact and never recognised. docs/protocol.md and proofs/crowdlogging.md. */

import { type Bytes, concat, type Randomness, ReportError, utf8 } from "./bytes.ts";
import type { Collection } from "./collection.ts";
import { decodePoint, decodeScalar, encodeScalar, hashToGroup, multiply, Point, randomScalar, SIZE } from "./group.ts";
import { type Equation, prove, proved } from "./sigma.ts";

const SECOND = hashToGroup(utf8("second generator"), utf8("crowdlog-v1-generator"));

/** What a client keeps between asking and being answered: only `request` is sent. */
export interface PendingCredential {
  readonly secret: bigint;
  readonly request: Bytes;
}

export class Credential {
  constructor(
    readonly secret: bigint,
    readonly u: Point,
    readonly mac: Point,
  ) {}

  toBytes(): Bytes {
    return concat(encodeScalar(this.secret), this.u.toBytes(), this.mac.toBytes());
  }

  static fromBytes(data: Bytes): Credential {
    if (data.length !== 3 * SIZE) throw new ReportError(`A credential has ${3 * SIZE} bytes, got ${data.length}; join the collection again.`);
    return new Credential(decodeScalar(data.slice(0, SIZE)), decodePoint(data.slice(SIZE, 2 * SIZE)), decodePoint(data.slice(2 * SIZE)));
  }
}

export function requestCredential(collection: Collection, randomness: Randomness): PendingCredential {
  const secret = randomScalar(randomness);
  const point = multiply(secret, Point.BASE);
  const proof = prove("request", [{ target: point, terms: [[0, Point.BASE]] }], [secret], collection.id, randomness);
  return { secret, request: concat(point.toBytes(), proof) };
}

/** Checks the answer; a MAC under any other key than the collection's is refused, for it could be used to recognise its owner. */
export function acceptCredential(pending: PendingCredential, collection: Collection, response: Bytes): Credential {
  if (response.length !== 8 * SIZE) throw new ReportError(`A credential's answer has ${8 * SIZE} bytes, got ${response.length}; ask again.`);
  const point = (data: Bytes, index: number): Point => decodePoint(data.slice(index * SIZE, (index + 1) * SIZE));
  const [u, mac, helper] = [point(response, 0), point(response, 1), point(response, 2)];
  const [commitment, x1Public] = [point(collection.issuerPublic, 0), point(collection.issuerPublic, 1)];
  // Secrets: x0, mask, b, t = b·x1.
  const statement: Equation[] = [
    { target: u, terms: [[2, Point.BASE]] },
    { target: mac, terms: [[0, u], [3, point(pending.request, 0)]] },
    { target: commitment, terms: [[0, Point.BASE], [1, SECOND]] },
    { target: helper, terms: [[2, x1Public]] },
    { target: helper, terms: [[3, SECOND]] },
  ];
  if (!proved("issue", statement, response.slice(3 * SIZE), collection.id)) {
    throw new ReportError("The credential was not made with the collection's public key: it was thrown away; do not trust this server.");
  }
  return new Credential(pending.secret, u, mac);
}

/** The name of this person for this context: always the same here, unlinkable elsewhere. */
export function pseudonym(credential: Credential, context: Bytes): Point {
  return multiply(credential.secret, pseudonymBase(context));
}

/** Proves that `name`, the pseudonym of this context, belongs to a credential; the proof is bound to the message. */
export function show(credential: Credential, context: Bytes, name: Point, message: Bytes, randomness: Randomness): Bytes {
  const a = randomScalar(randomness);
  const u = multiply(a, credential.u);
  const mac = multiply(a, credential.mac);
  const w = multiply(credential.secret, u);
  const statement: Equation[] = [
    { target: w, terms: [[0, u]] },
    { target: name, terms: [[0, pseudonymBase(context)]] },
  ];
  const head = concat(u.toBytes(), mac.toBytes(), w.toBytes());
  return concat(head, prove("show", statement, [credential.secret], concat(head, message), randomness));
}

function pseudonymBase(context: Bytes): Point {
  return hashToGroup(context, utf8("crowdlog-v1-pseudonym"));
}
