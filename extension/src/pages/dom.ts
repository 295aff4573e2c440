/** Elements from data, the frame of every page, and small parts they share. Text is always set as text: nothing from a page or a server is read as HTML. */

import { keepError } from "../store/errors.ts";
import { message, saying } from "./messages.ts";

type Child = Node | string | undefined;
type Value = string | number | boolean | undefined | ((event: Event) => unknown);

/** An element with attributes, listeners (names that begin with "on") and children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, Value> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), (event) => void value(event));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

const PAGES = ["history", "plots", "assistant", "suggestions", "collections", "studies", "status", "help"] as const;

/** Draws a page: its title, the way to the other pages, and its content, which must be whole. All of it changes at once, so that a page
 *  that is drawn anew does not jump under her eyes, and who works with the keyboard stays where she was. */
export function frame(name: string, ...content: Child[]): HTMLElement {
  document.documentElement.lang = message("language");
  document.title = `${message(`page_${name}`)} · ${message("name")}`;
  const links = PAGES.map((page) => h("a", page === name ? { href: `${page}.html`, "aria-current": "page" } : { href: `${page}.html` }, message(`page_${page}`)));
  const main = h("main", { id: "main", tabindex: -1 }, h("h1", {}, message(`page_${name}`)), ...content);
  const problems = h("div", { id: "problems", role: "alert" });
  const mark = h("a", { href: "welcome.html", class: "mark" }, h("img", { src: "icons/on-32.png", alt: "" }), message("name"));
  redrawn(() => document.body.replaceChildren(h("a", { href: "#main", class: "skip" }, message("skip")), h("header", {}, h("nav", { "aria-label": message("pages") }, mark, ...links)), problems, main));
  return main;
}

const FOCUSED = "a[href], button, input, select, textarea, summary";
/** The button whose work goes on; it is disabled, and browsers take the focus from it. */
let pressed: HTMLElement | undefined;

/** Changes the page, and gives the focus to what stands where it was: the same control, or the next line's where a line is gone. */
export function redrawn(change: () => void): void {
  const focused = document.activeElement instanceof HTMLElement && document.activeElement !== document.body ? document.activeElement : pressed;
  const way = focused?.isConnected ? wayTo(focused) : undefined;
  change();
  if (!way) return;
  const there = way.reduce<Element | undefined>((parent, i) => parent?.children[i], document.body);
  const same = there instanceof HTMLElement && there.matches(FOCUSED) && there.tagName === focused?.tagName && there.classList.contains("danger") === focused.classList.contains("danger");
  const next = same ? there : document.querySelector<HTMLElement>("main");
  next?.focus({ preventScroll: true });
  pressed = undefined;
}

/** Gives the focus to the first control in a place: to what came where the pressed button was. */
export function goOnIn(place: Element | null | undefined): void {
  place?.querySelector<HTMLElement>(FOCUSED)?.focus({ preventScroll: true });
}

/** Which child of which child of the body it is. */
function wayTo(element: Element): number[] {
  const parent = element.parentElement;
  return element === document.body || !parent ? [] : [...wayTo(parent), [...parent.children].indexOf(element)];
}

/** An address as a link that opens it in a new tab; anything that is no web page is text. */
export function outside(url: string | undefined, text: string): HTMLElement | string {
  return url !== undefined && /^https?:\/\//.test(url) ? h("a", { href: url, target: "_blank", rel: "noreferrer", draggable: "false" }, text) : text;
}

addEventListener("unhandledrejection", ({ reason }) => {
  say(saying(reason));
  void keepError(location.pathname.slice(1), reason);
});

/** Tells of a problem where a screen reader hears it. */
export function say(problem: string): void {
  if (!document.querySelector("#problems")) document.body.append(h("div", { id: "problems", role: "alert" })); // nothing is drawn yet
  document.querySelector("#problems")?.replaceChildren(h("p", { class: "problem" }, problem));
}

export function button(label: string, action: () => unknown, kind = ""): HTMLButtonElement {
  const made: HTMLButtonElement = h("button", {
    type: "button",
    class: kind,
    // a key that is held presses once: where a line is gone, the focus is on the next one's button
    onkeydown: (event) => {
      if ((event as KeyboardEvent).repeat && (event as KeyboardEvent).key === "Enter") event.preventDefault();
    },
    onclick: async () => {
      pressed = made;
      made.disabled = true;
      document.querySelector("#problems")?.replaceChildren();
      try {
        await action();
      } finally {
        made.disabled = false;
        if (pressed === made && made.isConnected && document.activeElement === document.body) made.focus({ preventScroll: true });
        pressed = undefined;
      }
    },
  }, label);
  return made;
}

export function section(title: string, ...content: Child[]): HTMLElement {
  return h("section", {}, h("h2", {}, title), ...content);
}

/** Names and values, one under the other. */
export function facts(pairs: readonly (readonly [string, string | Node])[]): HTMLElement {
  return h("dl", {}, ...pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** On a phone each row of a wide table becomes a list of names and values (style.css); roles say that it still is a table. */
export function table(head: readonly string[], rows: readonly (readonly (string | Node)[])[], caption: string): HTMLElement {
  const line = (cells: readonly (string | Node)[]) => h("tr", { role: "row" }, ...cells.map((cell, i) => h("td", { role: "cell", "data-name": head[i] ?? "" }, cell)));
  const made = h("table", { role: "table", class: head.length > 4 ? "many" : "few" }, h("caption", {}, h("span", {}, caption)), h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...head.map((name) => h("th", { scope: "col", role: "columnheader" }, name)))), h("tbody", { role: "rowgroup" }, ...rows.map(line)));
  return h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, made);
}

const PORTION = 15; // lines or cards drawn at once: a page that is being drawn must still scroll

/** Adds items to a list without holding up the page; stops when another drawing has taken the list away. */
export async function fill<T>(list: HTMLElement, items: readonly T[], add: (item: T) => unknown): Promise<void> {
  for (let start = 0; start < items.length; start += PORTION) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve));
    if (start > 0 && !list.isConnected) return;
    items.slice(start, start + PORTION).forEach(add);
  }
}

// Made once: making one takes longer than writing a hundred dates.
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

export function moment(time: number): string {
  return MOMENT.format(time);
}

export function day(time: number): string {
  return DAY.format(time);
}

export function clock(time: number): string {
  return CLOCK.format(time);
}

/** Asks before something that cannot be undone. */
export function confirmed(question: string, yes: string, kind = "danger"): Promise<boolean> {
  return new Promise((resolve) => {
    const close = (answer: boolean) => () => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    const dialog = h("dialog", { "aria-label": question }, h("p", {}, question), h("p", { class: "actions" }, h("button", { type: "button", class: kind, onclick: close(true) }, yes), h("button", { type: "button", autofocus: true, onclick: close(false) }, message("cancel"))));
    dialog.addEventListener("cancel", close(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}

export function download(name: string, text: string): void {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
