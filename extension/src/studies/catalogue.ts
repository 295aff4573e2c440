/** The catalogue an operator serves: signed studies and messages. Its signer is remembered; another one under the same address is refused. */

import { Told } from "../../lib/told.ts";
import { fromHex, utf8 } from "../../lib/bytes.ts";
import { signed } from "../../lib/signing.ts";
import { canonical } from "../../lib/terms.ts";
import { readState, writeState } from "../store/state.ts";
import { readSignedStudy, signedEnvelope, type Study } from "./study.ts";

const STATE = "catalogues";

export interface Note {
  readonly from: string;
  readonly date: string;
  readonly text: string;
}

export interface Catalogue {
  readonly url: string;
  readonly signing: string;
  readonly time: number;
  readonly studies: readonly { readonly study: Study; readonly signing: string }[];
  /** How many more there are that need a newer version of the extension. */
  readonly newer?: number;
  readonly messages: readonly Note[];
  /** Where its people may write to, if the operator wants to hear from them. */
  readonly feedback?: string;
}

export function catalogues(): Promise<Catalogue[]> {
  return readState<Catalogue[]>(STATE, []);
}

/** Reads what an operator served and keeps it in place of what was known from this address. */
export async function keepCatalogue(url: string, text: string): Promise<Catalogue> {
  const known = await catalogues();
  const { study: body, signing, signature } = signedEnvelope(text, "catalogue");
  if (!signed(fromHex(signing), "catalogue", utf8(canonical(body as never)), fromHex(signature))) throw new Told("told_catalogue_signature");
  const before = known.find((one) => one.url === url);
  if (before && before.signing !== signing) throw new Told("told_catalogue_signer");
  const { studies = [], messages = [], feedback } = body as { studies?: unknown; messages?: unknown; feedback?: unknown };
  if (!Array.isArray(studies) || !Array.isArray(messages)) throw new Told("told_no_signed_catalogue");
  const readable = studies.map(readIfKnown).filter((one) => one !== undefined);
  const read = { url, signing, time: Date.now(), studies: readable, newer: studies.length - readable.length, messages: messages.filter(isNote), ...(isAddress(feedback) ? { feedback } : {}) };
  await writeState(STATE, [...known.filter((one) => one.url !== url), read]);
  return read;
}

/** A study as it is signed; nothing if it needs a newer version. What is wrong with it otherwise is an error of the whole catalogue. */
function readIfKnown(one: unknown): ReturnType<typeof readSignedStudy> | undefined {
  try {
    return readSignedStudy(JSON.stringify(one));
  } catch (error) {
    if (error instanceof Told && error.sentence === "told_study_newer") return undefined;
    throw error;
  }
}

export async function forgetCatalogue(url: string): Promise<void> {
  await writeState(STATE, (await catalogues()).filter((one) => one.url !== url));
}

export async function messagesOf(): Promise<Note[]> {
  return (await catalogues()).flatMap((one) => one.messages).sort((a, b) => (a.date < b.date ? 1 : -1));
}

function isAddress(value: unknown): value is string {
  return typeof value === "string" && /^https:\/\/[^/?#\s]+\/[^#\s]*$/.test(value);
}

function isNote(value: unknown): value is Note {
  const { from, date, text } = (value ?? {}) as Partial<Note>;
  return [from, date, text].every((part) => typeof part === "string" && part.length <= 4000);
}
