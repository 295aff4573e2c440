/** Whether another query in the same page is hers. Browsers know for five seconds that a key or a button was pressed; an engine may take
 *  longer to answer. So what she wrote or pressed in the page is remembered until it is asked, in the page's own memory alone. */

import { type Asked, askedBy, type Engine } from "../engines/engine.ts";

const MOST = 30; // texts
const LONGEST = 500; // characters
const WRITTEN = "input:not([type]), input[type=text], input[type=search], textarea";
const PRESSED = "a, button, li, [role=option], [role=button], [role=link]";

/** Texts that she wrote or pressed since the last search. */
let texts: string[] = [];
let pressed = false;

/** `engines`: those that links may lead to; none while the page shows no results of a search: what is written there is not looked at. */
export function watchHands(engines: () => readonly Engine[]): void {
  for (const kind of ["input", "change", "keydown", "click", "submit"]) {
    document.addEventListener(kind, (event) => event.isTrusted && engines().length > 0 && note(event, engines()), { capture: true });
  }
}

function note(event: Event, engines: readonly Engine[]): void {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return;
  if (event.type === "click" || event.type === "submit" || (event instanceof KeyboardEvent && event.key === "Enter")) pressed = true;
  const fields = event.type === "submit" ? [...target.querySelectorAll(WRITTEN)] : [target];
  for (const field of fields) if (field.matches(WRITTEN)) keep((field as HTMLInputElement).value);
  if (event.type !== "click") return;
  const link = target.closest("a");
  const asked = link ? askedBy(link.href, engines) : undefined;
  keep(asked?.query ?? "");
  keep(target.closest(PRESSED)?.textContent ?? "");
}

function keep(text: string): void {
  if (text.length > LONGEST || plain(text) === "") return;
  texts = [...texts.filter((one) => one !== plain(text)), plain(text)].slice(-MOST);
}

function plain(text: string): string {
  return text.normalize("NFC").toLowerCase().trim().replace(/\s+/g, " ");
}

/** Whether she asked this: right now, or by words of hers; or for a next page of what she asked. */
export function isHers(asked: Asked, before: Asked | undefined): boolean {
  const next = pressed && before?.query === asked.query && before.engine.id === asked.engine.id;
  return navigator.userActivation.isActive || next || texts.includes(plain(asked.query));
}

/** What was asked is done with. */
export function forgetHands(): void {
  texts = [];
  pressed = false;
}
