/** What an error says to somebody who reads English, as a page would show it. */

import messages from "../../_locales/en/messages.json";
import { onWire } from "../../src/log/wire.ts";

/** As the browser puts values into a message. */
export function english(name: string, ...values: (string | number)[]): string {
  const found = (messages as Record<string, { message: string } | undefined>)[name];
  if (!found) throw new Error(`no message ${name}`);
  return found.message.replace(/\$(\d)/g, (_whole, place: string) => String(values[Number(place) - 1]));
}

/** The sentence of what this throws. */
export function saidBy(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    const { sentence, values } = onWire(error);
    return english(sentence, ...values);
  }
  throw new Error("nothing was thrown");
}
