/** What is logged: one record for each thing that happened, with an id that makes writing it twice harmless. */

export const KINDS = ["search", "result-click", "link-click", "load", "focus", "blur", "tab-add", "tab-select", "tab-remove", "logging"] as const;
export type Kind = (typeof KINDS)[number];

export interface Result {
  readonly rank: number;
  readonly title: string;
  readonly url: string;
}

export interface LogEvent {
  /** Random, made where the event is seen. A second record with the same id is not kept. */
  readonly uid: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly kind: Kind;
  readonly tab?: number;
  /** Of the page on which it happened. */
  readonly url?: string;
  readonly title?: string;
  readonly engine?: string;
  readonly query?: string;
  /** Rank of the first result of this page: 1, or more on a next page. */
  readonly start?: number;
  readonly results?: readonly Result[];
  /** Of a click: the rank and the link's URL and text; `search` is the uid of the search it belongs to. */
  readonly rank?: number;
  readonly target?: string;
  readonly anchor?: string;
  readonly search?: string;
  /** Of a new tab: the tab that opened it. */
  readonly from?: number;
  /** Of `logging`: whether it was turned on. */
  readonly on?: boolean;
  /** The replay that wrote it (pages/simulator.ts); what happened has none. */
  readonly replay?: string;
}

export interface Search extends LogEvent {
  readonly kind: "search";
  readonly query: string;
}

export function newUid(): string {
  return crypto.randomUUID();
}

export function isSearch<T extends LogEvent>(event: T): event is T & Search {
  return event.kind === "search" && event.query !== undefined;
}

/** Words by which an event is found: of its texts and of its addresses, which may hold the query too; of a search also of the titles and addresses of its results. */
export function wordsOf(event: LogEvent): string[] {
  const results = (event.results ?? []).flatMap(({ title, url }) => [title, decoded(url)]);
  const texts = [event.query, event.title, event.anchor, decoded(event.url), decoded(event.target), ...results];
  return [...new Set(texts.flatMap((text) => splitWords(text ?? "")))];
}

export function splitWords(text: string): string[] {
  return text.normalize("NFC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function decoded(url: string | undefined): string {
  if (url === undefined) return "";
  try {
    return decodeURIComponent(url.replaceAll("+", " "));
  } catch {
    return url; // a broken escape: its words are found as they are written
  }
}
