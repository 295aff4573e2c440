/** The only place from which anything leaves the browser. It refuses every address that she has not allowed, and writes down what it lets pass. */

import { Told } from "../../lib/told.ts";
import { allowedHosts, patternsOf } from "../store/hosts.ts";
import { writeDown } from "../store/sent.ts";
import { bytesOf, MOST_FILE } from "./bounded-answers.ts";
import { hideOriginFrom } from "./origin.ts";

const MOST_REFUSAL = 65_536; // bytes of what a service says when it refuses
const MOST_JSON = 32 * 2 ** 20; // the longest is the public list of collections
/** Chromium stops a background whose request has no answer after 30 seconds, and then nobody would be told. */
const PATIENCE_MS = 25_000;
/** A server that the extension has the browser's permission for counts as its own origin. Any other, also one that she takes back in this very
 *  moment, is refused by the browser itself before a byte leaves; as `cors` it would be asked, with the id of the installation. */
const WITH_PERMISSION = "same-origin";

async function request(method: string, url: string, body: unknown): Promise<Response> {
  const { origin } = new URL(url);
  const allowed = (await allowedHosts())[origin];
  if (!allowed) throw new Told("told_not_allowed", origin);
  if (!(await chrome.permissions.contains({ origins: patternsOf([origin]) }))) throw new Told("told_taken_back", origin);
  await hideOriginFrom(new URL(url).hostname, allowedHostnames);
  const text = body === undefined ? null : JSON.stringify(body);
  await writeDown({ time: Date.now(), method, origin, bytes: new TextEncoder().encode(text ?? "").length, why: allowed.why });
  const headers: Record<string, string> = text === null ? {} : { "Content-Type": "application/json" };
  const patience = new AbortController();
  const end = setTimeout(() => patience.abort(), PATIENCE_MS);
  let answer: Response;
  try {
    answer = await fetch(url, { method, headers, body: text, mode: WITH_PERMISSION, credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", redirect: "error", signal: patience.signal });
  } catch {
    throw patience.signal.aborted ? new Told("told_no_answer", origin) : new Told("told_unreached", origin);
  } finally {
    clearTimeout(end); // of a long answer the rest may take longer
  }
  if (!answer.ok) throw await refused(origin, answer);
  return answer;
}

async function allowedHostnames(): Promise<string[]> {
  return Object.keys(await allowedHosts()).map((origin) => new URL(origin).hostname);
}

/** What the service says of it, in its own words, or the number it answered. */
async function refused(origin: string, answer: Response): Promise<Told> {
  const found = (await parsed(answer, MOST_REFUSAL)) as { error?: unknown } | null | undefined;
  const said = typeof found?.error === "string" ? found.error.slice(0, 300) : undefined;
  return said === undefined ? new Told("told_service_number", origin, answer.status) : new Told("told_service_says", origin, said);
}

/** The JSON of an answer; undefined for anything else, also for one that does not end. */
async function parsed(answer: Response, most: number): Promise<unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(await bytesOf(answer, most)));
  } catch {
    return undefined;
  }
}

export async function call(method: "GET" | "POST", url: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await parsed(await request(method, url, body), MOST_JSON);
  if (typeof answer !== "object" || answer === null) throw new Told("told_no_service", new URL(url).origin);
  return answer as Record<string, unknown>;
}

export async function download(url: string): Promise<Uint8Array> {
  const content = await bytesOf(await request("GET", url, undefined), MOST_FILE);
  if (content === undefined) throw new Told("told_no_service", new URL(url).origin);
  return content;
}
