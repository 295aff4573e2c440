/** Texts of the extension in the person's language: _locales/LANGUAGE/messages.json. */

import { onWire, type WireError } from "../log/wire.ts";

export function message(name: string, ...values: (string | number)[]): string {
  return chrome.i18n.getMessage(name, values.map(String)) || name;
}

/** What an error says. */
export function sentenceOf({ sentence, values }: WireError): string {
  return message(sentence, ...values);
}

export function saying(error: unknown): string {
  return sentenceOf(onWire(error));
}
