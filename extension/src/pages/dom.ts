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

/** The page's frame: title, the way to the other pages, and the place for its content. */
export function frame(name: string): HTMLElement {
  document.documentElement.lang = message("language");
  document.title = `${message(`page_${name}`)} · ${message("name")}`;
  const links = PAGES.map((page) => h("a", page === name ? { href: `${page}.html`, "aria-current": "page" } : { href: `${page}.html` }, message(`page_${page}`)));
  const main = h("main", { id: "main" }, h("h1", {}, message(`page_${name}`)));
  const problems = h("div", { id: "problems", role: "alert" });
  document.body.replaceChildren(h("a", { href: "#main", class: "skip" }, message("skip")), h("header", {}, h("nav", { "aria-label": message("pages") }, ...links)), problems, main);
  return main;
}

addEventListener("unhandledrejection", ({ reason }) => {
  say(saying(reason));
  void keepError(location.pathname.slice(1), reason);
});

/** Tells of a problem where a screen reader hears it. */
export function say(problem: string): void {
  document.querySelector("#problems")?.replaceChildren(h("p", { class: "problem" }, problem));
}

export function button(label: string, action: () => unknown, kind = ""): HTMLButtonElement {
  const made: HTMLButtonElement = h("button", {
    type: "button",
    class: kind,
    onclick: async () => {
      made.disabled = true;
      document.querySelector("#problems")?.replaceChildren();
      try {
        await action();
      } finally {
        made.disabled = false;
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
export function confirmed(question: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    const close = (answer: boolean) => () => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    const dialog = h("dialog", { "aria-label": question }, h("p", {}, question), h("p", { class: "actions" }, h("button", { type: "button", class: "danger", onclick: close(true) }, yes), h("button", { type: "button", onclick: close(false) }, message("cancel"))));
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
