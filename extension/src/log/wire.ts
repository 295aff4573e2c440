/** Errors on their way between a page, its workers and the background: only the page knows her language (workers have no access to it). */

import { Told } from "../../lib/told.ts";

export interface WireError {
  readonly sentence: string;
  readonly values: readonly string[];
}

/** Errors of the browser itself come with its own words. */
export function onWire(error: unknown): WireError {
  if (error instanceof Told) return { sentence: error.sentence, values: error.values };
  return { sentence: "told_other", values: [error instanceof Error ? error.message : String(error)] };
}

export function offWire({ sentence, values }: WireError): Told {
  return new Told(sentence, ...values);
}
