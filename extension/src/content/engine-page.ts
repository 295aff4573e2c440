/** Runs on result pages: logs the search with its results, and clicks on them. */

import { type Asked, askedBy, type Engine, ENGINES, resultsOn, type ShownResult } from "../engines/engine.ts";
import { newUid, type Result } from "../log/events.ts";
import { readyToRecord, record } from "./record.ts";

const LATEST_RESULTS = 2000; // ms after which a page without results is logged as it is
let logged = "";
let first = true;
let current: { asked: Asked; uid: string; start: number } | undefined;
/** The addresses of the results that stood in the page last: those of an older search may stand there for a while. */
let stood = "";

async function start(): Promise<void> {
  const own = (await chrome.storage.local.get("engines"))["engines"] as Engine[] | undefined;
  const engines = [...ENGINES, ...(own ?? [])];
  await readyToRecord();
  document.addEventListener("click", (event) => clicked(event), { capture: true });
  document.addEventListener("auxclick", (event) => clicked(event), { capture: true });
  await look(engines); // results may take a while; a click does not wait for them
  // Engines change the page without loading another: a new address is a new search.
  new MutationObserver(() => void look(engines)).observe(document, { childList: true, subtree: true });
}

async function look(engines: readonly Engine[]): Promise<void> {
  if (location.href === logged) return;
  logged = location.href;
  const again = first && isShownAgain();
  first = false;
  unlogged?.(); // the search before, whose results did not come in time
  const asked = askedBy(location.href, engines);
  if (!asked) {
    current = undefined;
    return;
  }
  const seen = { asked, uid: newUid(), start: asked.start };
  current = seen;
  const { query, engine, start } = asked;
  const url = location.href;
  let open = !again; // of a page shown again clicks find the first search by its address
  const log = (results: readonly Result[]): void => {
    if (!open) return;
    open = false;
    record({ uid: seen.uid, kind: "search", engine: engine.id, query, start, url, title: document.title, results });
  };
  unlogged = () => log([]);
  log(await shown(asked, url));
}

/** Logs a search whose results have not come yet, once; a page that is left logs it so. */
let unlogged: (() => void) | undefined;
addEventListener("pagehide", () => unlogged?.());

/** Back, forward and reload show a page again; nothing was asked. */
function isShownAgain(): boolean {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation?.type === "back_forward" || navigation?.type === "reload";
}

/** The results of this search: others than those that stood there before. None if they do not come in time or another address does. */
async function shown(asked: Asked, address: string): Promise<Result[]> {
  const until = Date.now() + LATEST_RESULTS;
  const before = stood;
  while (location.href === address) {
    const found: ShownResult[] = resultsOn(document, asked.engine, asked.start);
    const now = found.map(({ url }) => url).join("\n");
    if (now !== "" && now !== before) {
      stood = now;
      return found.map(({ rank, title, url }) => ({ rank, title, url }));
    }
    if (Date.now() > until) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return [];
}

function clicked(event: MouseEvent): void {
  const anchor = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
  if (!current || !(anchor instanceof HTMLAnchorElement) || event.button > 1) return;
  const { asked, uid } = current;
  const result = resultsOn(document, asked.engine, asked.start).find(({ element }) => element.contains(anchor) || anchor.contains(element));
  const page = { url: location.href, engine: asked.engine.id, query: asked.query, anchor: (anchor.textContent ?? "").trim().slice(0, 300) };
  if (result) record({ kind: "result-click", ...page, search: uid, rank: result.rank, target: result.url });
  else if (/^https?:/.test(anchor.href)) record({ kind: "link-click", ...page, search: uid, target: anchor.href });
}

void start();
