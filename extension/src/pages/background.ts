/** What pages ask of the background. */

import type { Call } from "../crowd/reports.ts";
import { offWire, type WireError } from "../log/wire.ts";

interface Answer {
  readonly value?: unknown;
  readonly error?: WireError;
}

export async function ask<T>(request: Record<string, unknown>): Promise<T> {
  const answer = (await chrome.runtime.sendMessage(request)) as Answer;
  if (answer.error !== undefined) throw offWire(answer.error);
  return answer.value as T;
}

/** A request of a page leaves by the background's gate, like every other. */
export const callThroughGate: Call = (method, url, body) => ask({ do: "call", method, url, body });
