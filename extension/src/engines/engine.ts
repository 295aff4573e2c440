/** Search engines as data: where the query stands in the address, and where results stand in the page. */

import { Told } from "../../lib/told.ts";
import type { Result } from "../log/events.ts";
import bing from "./bing.json";
import brave from "./brave.json";
import duckduckgo from "./duckduckgo.json";
import google from "./google.json";
import yahoo from "./yahoo.json";

export interface Engine {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  readonly host: string;
  /** Whether hosts below it show the same pages, as those of countries do. */
  readonly subdomains?: boolean;
  readonly path: string;
  /** Parameter of the address that holds the query. */
  readonly query: string;
  /** Next pages: the parameter, its value on the first page, and how many results one more means; null where pages have no address. */
  readonly page: { readonly parameter: string; readonly first: number; readonly step: number } | null;
  /** CSS selectors: of a result; within it of the link ("" for the result itself) and of the title. */
  readonly results: {
    readonly item: string;
    readonly link: string;
    readonly title: string;
    /** Where the engine wraps the target: in a parameter (in base64 behind a prefix), or in the path behind a mark. */
    readonly unwrap?: { readonly parameter?: string; readonly base64?: string; readonly path?: string };
  };
}

export const ENGINES: readonly Engine[] = [google, bing, duckduckgo, yahoo, brave] as Engine[];

const TEXTS = ["id", "name", "host", "path", "query"] as const;

/** Reads an engine file; a sentence says what is wrong with one that cannot be used. */
export function readEngine(text: string): Engine {
  let value: Partial<Engine> | null;
  try {
    value = JSON.parse(text) as Partial<Engine> | null;
  } catch {
    throw new Told("told_engine_json");
  }
  if (value?.version !== 1) throw new Told("told_engine_version");
  for (const name of TEXTS) if (typeof value[name] !== "string" || value[name] === "") throw new Told("told_engine_text", name);
  if (!/^[a-z0-9.-]+(:\d+)?$/.test(value.host as string)) throw new Told("told_engine_host");
  const results = value.results;
  if (!results || [results.item, results.link, results.title].some((selector) => typeof selector !== "string")) {
    throw new Told("told_engine_results");
  }
  const page = value.page ?? null;
  if (page && (typeof page.parameter !== "string" || !Number.isInteger(page.first) || !Number.isInteger(page.step))) {
    throw new Told("told_engine_page");
  }
  if (value.subdomains !== undefined && typeof value.subdomains !== "boolean") throw new Told("told_engine_subdomains");
  return { ...(value as Engine), page };
}

/** A shipped engine at another host, such as that of a country: the same pages at another address. */
export function engineAt(engine: Engine, address: string): Engine {
  const host = address.trim().toLowerCase().replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  if (ENGINES.some((one) => isHostOf(one, host))) throw new Told("told_engine_known", host);
  return readEngine(JSON.stringify({ ...engine, id: `${engine.id}@${host}`, host }));
}

/** The pages on which an engine's results are shown, as a browser's match patterns. */
export function matchesOf(engine: Engine): string[] {
  return [`*://${hostsOf(engine)}${engine.path}*`];
}

/** Its host without a port, which patterns do not know; `*.` stands for the host and those below it. */
function hostsOf({ host, subdomains = false }: Engine): string {
  return (subdomains ? "*." : "") + host.replace(/:\d+$/, "");
}

/** What the browser is asked for. Not `*://`: in Firefox that is more than http and https, and more than may be asked for. */
export function originsOf(engine: Engine): string[] {
  return ["http", "https"].map((scheme) => `${scheme}://${hostsOf(engine)}/*`);
}

/** Where an engine is asked for a query. */
export function addressOf(engine: Engine, query: string): string {
  return `https://${engine.host}${engine.path}?${new URLSearchParams({ [engine.query]: query }).toString()}`;
}

export interface Asked {
  readonly engine: Engine;
  readonly query: string;
  readonly start: number;
}

/** What an address asks which engine, if it does. */
export function askedBy(address: string, engines: readonly Engine[]): Asked | undefined {
  const url = new URL(address);
  const engine = engines.find((one) => isHostOf(one, url.host) && one.path === url.pathname.split(";")[0]);
  const query = engine ? url.searchParams.get(engine.query)?.trim() : undefined;
  if (!engine || !query) return undefined;
  return { engine, query, start: startOf(url, engine) };
}

/** Whether two addresses ask the same, whatever else they say. */
export function sameSearch(one: Asked, other: Asked): boolean {
  return one.engine.id === other.engine.id && one.query === other.query && one.start === other.start;
}

function isHostOf({ host, subdomains = false }: Engine, asked: string): boolean {
  return asked === host || (subdomains && asked.endsWith(`.${host}`));
}

function startOf(url: URL, { page }: Engine): number {
  const value = page ? Number(url.searchParams.get(page.parameter) ?? page.first) : NaN;
  if (!page || !Number.isInteger(value) || value < page.first) return 1;
  return 1 + (value - page.first) * page.step;
}

export interface ShownResult extends Result {
  readonly element: Element;
}

/** The results of a page in the order they stand. A result inside another counts once. */
export function resultsOn(page: ParentNode, engine: Engine, start: number): ShownResult[] {
  const { item, link, title, unwrap } = engine.results;
  const found: ShownResult[] = [];
  for (const element of page.querySelectorAll(item)) {
    const anchor = link === "" ? element : element.querySelector(link);
    const address = anchor instanceof HTMLAnchorElement ? unwrapped(anchor.href, unwrap) : "";
    if (!/^https?:/.test(address)) continue;
    const text = (element.querySelector(title) ?? anchor)?.textContent ?? "";
    found.push({ rank: start + found.length, title: text.trim().replace(/\s+/g, " ").slice(0, 300), url: address, element });
  }
  return found;
}

/** The target of a link that goes through the engine; any other link as it is. */
export function unwrapped(address: string, wrap: Engine["results"]["unwrap"]): string {
  try {
    if (wrap?.path !== undefined) {
      const part = new URL(address).pathname.split("/").find((piece) => piece.startsWith(wrap.path as string));
      return part ? decodeURIComponent(part.slice(wrap.path.length)) : address;
    }
    const value = wrap?.parameter === undefined ? null : new URL(address).searchParams.get(wrap.parameter);
    if (value === null) return address;
    if (wrap?.base64 === undefined) return value;
    if (!value.startsWith(wrap.base64)) return address;
    return atob(value.slice(wrap.base64.length).replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return address;
  }
}
