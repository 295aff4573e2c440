/** A client driven by another program: one JSON command per line in, one JSON answer per line out. Used to test against the Python services. */

import { createInterface } from "node:readline";
import { Collection, type Credential, Credentials, type Issuer, type Level } from "../lib/index.ts";
import { acceptCredential, type Blinded, blind, blindWith, finalize, fromHex, makeReport, pseudonym, requestCredential, show, sealOnion, systemRandomness, toHex } from "../lib/index.ts";
import type { PendingCredential, ReportOptions } from "../lib/index.ts";
import { decodeScalar } from "../lib/group.ts";

interface Sent {
  primary: string;
  secondary: string;
  rand: string;
}

interface Command {
  do: "join" | "accept" | "blind" | "finalize" | "report" | "slot";
  issuer: Issuer;
  slot: number;
  terms: string;
  data: string;
  inputs: string[];
  blinds?: string[];
  public: string;
  artifacts: (Sent & { level: Level; inner: Sent[] })[];
}

let collection: Collection;
let pending: PendingCredential;
const accepted: Partial<Record<Issuer, Credential>> = {};
let slot = 0;
let blinded: Blinded[];

function credentials(): Credentials {
  return new Credentials(accepted as Record<Issuer, Credential>);
}

function made({ primary, secondary, rand }: Sent, rest: Omit<ReportOptions, "slot">): Uint8Array {
  const options = { slot: slot++, ...rest };
  return makeReport(collection, credentials().of.report, fromHex(rand), { primary: fromHex(primary), secondary: fromHex(secondary) }, systemRandomness, options);
}

const answers: Record<Command["do"], (command: Command) => unknown> = {
  join: ({ terms }) => {
    collection = Collection.fromJson(terms);
    pending = requestCredential(collection, systemRandomness);
    return toHex(pending.request);
  },
  accept: ({ data, issuer }) => {
    accepted[issuer] = acceptCredential(pending, collection, fromHex(data), issuer);
    return true;
  },
  slot: ({ issuer, slot: number, data }) => {
    const context = collection.slotContext(issuer, number);
    const one = Credentials.fromBytes(credentials().toBytes()).of[issuer];
    const name = pseudonym(one, context);
    return { name: toHex(name.toBytes()), shown: toHex(show(one, [[context, name]], fromHex(data), systemRandomness)) };
  },
  blind: ({ inputs, blinds }) => {
    blinded = inputs.map((input, i) => (blinds ? blindWith(fromHex(input), decodeScalar(fromHex(blinds[i] as string))) : blind(fromHex(input), systemRandomness)));
    return blinded.map(({ element }) => toHex(element));
  },
  finalize: (command) => finalize(fromHex(command.public), blinded, fromHex(command.data)).map(toHex),
  report: ({ artifacts }) =>
    artifacts.map(({ level, inner, ...sent }) => {
      const inside = inner.map((one) => made(one, { level: 1 }));
      return toHex(sealOnion(collection.mixPublics, made(sent, { level, inner: inside }), systemRandomness));
    }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  process.stdout.write(JSON.stringify(answers[command.do](command)) + "\n");
}
