/** Runs on result pages: logs the search with its results, and clicks on them. */

import { type Asked, askedBy, type Engine, ENGINES, resultsOn, sameSearch } from "../engines/engine.ts";
import { newUid, type Result } from "../log/events.ts";
import { forgetHands, isHers, watchHands } from "./hers.ts";
import { readyToRecord, record } from "./record.ts";
import { inSight, parsed } from "./seen.ts";

const LATEST_RESULTS = 2000; // ms after which a page without results is logged as it is

interface Current {
  readonly asked: Asked;
  /** Of the event of this search; none on a page that is shown again: the log finds the search that showed it first. */
  readonly uid?: string;
}

let engines: readonly Engine[] = [];
let address = "";
let first = true;
let current: Current | undefined;
/** The addresses of the results that stood in the page last: those of an older search may stand there for a while. */
let stood = "";
/** Logs the search whose results have not come yet, once. */
let unlogged: ((results: readonly Result[]) => void) | undefined;

async function start(): Promise<void> {
  // Before the page's own listeners, and before anything is awaited: a click may come at once.
  document.addEventListener("click", clicked, { capture: true });
  document.addEventListener("auxclick", clicked, { capture: true });
  watchHands(() => (current ? engines : []));
  addEventListener("popstate", () => look(true), { capture: true });
  addEventListener("pagehide", () => unlogged?.(current ? standing(current.asked) : []));
  void readyToRecord();
  const own = (await chrome.storage.local.get("engines"))["engines"] as Engine[] | undefined;
  engines = [...ENGINES, ...(own ?? [])];
  await inSight();
  look(false);
  // Engines change the page without loading another. Newer browsers tell of each change of the address, all show the page's changes.
  const { navigation } = globalThis as { navigation?: EventTarget };
  navigation?.addEventListener("currententrychange", (change) => look((change as Event & { navigationType?: string }).navigationType === "traverse"));
  new MutationObserver(() => look(false)).observe(document, { childList: true, subtree: true });
}

/** Looks whether the address asks something else than before; `back`: because she went back or forward in the page. */
function look(back: boolean): void {
  if (engines.length === 0 || location.href === address) return;
  address = location.href;
  const asked = askedBy(address, engines);
  if (asked && current && sameSearch(asked, current.asked)) return; // pages add to their addresses
  const again = first ? isShownAgain() : back;
  const hers = first || back || (asked !== undefined && isHers(asked, current?.asked));
  first = false;
  if (asked && !hers) return; // the page changed it by itself: what is clicked belongs to what she asked
  forgetHands();
  unlogged?.([]); // the search before, whose results did not come in time
  current = asked && (again ? { asked } : { asked, uid: newUid() });
  if (current) void log(current, address);
}

/** Back, forward and reload show a page again; nothing was asked. */
function isShownAgain(): boolean {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation?.type === "back_forward" || navigation?.type === "reload";
}

async function log({ asked, uid }: Current, url: string): Promise<void> {
  const { query, engine, start } = asked;
  let open = uid !== undefined;
  const write = (results: readonly Result[]): void => {
    if (open) record({ uid: uid as string, kind: "search", engine: engine.id, query, start, url, title: document.title, results });
    open = false;
  };
  unlogged = write;
  write(await shown(asked));
}

/** The results of this search: others than those that stood there before. None if they do not come in time or another search does. */
async function shown(asked: Asked): Promise<Result[]> {
  await parsed(); // the first of ten results are not the results
  const until = Date.now() + LATEST_RESULTS;
  while (current?.asked === asked) {
    const found = standing(asked);
    if (found.length > 0) {
      stood = namesOf(found);
      return found;
    }
    if (Date.now() > until) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return [];
}

/** The results in the page, unless they are those of the search before. */
function standing(asked: Asked): Result[] {
  const found = resultsOn(document, asked.engine, asked.start).map(({ rank, title, url }) => ({ rank, title, url }));
  return namesOf(found) === stood ? [] : found;
}

function namesOf(results: readonly Result[]): string {
  return results.map(({ url }) => url).join("\n");
}

function clicked(event: MouseEvent): void {
  const anchor = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
  if (!current || !(anchor instanceof HTMLAnchorElement) || event.button > 1) return;
  const { asked, uid } = current;
  const result = resultsOn(document, asked.engine, asked.start).find(({ element }) => element.contains(anchor) || anchor.contains(element));
  const page = { url: location.href, engine: asked.engine.id, query: asked.query, start: asked.start, anchor: (anchor.textContent ?? "").trim().slice(0, 300), ...(uid === undefined ? {} : { search: uid }) };
  if (result) record({ kind: "result-click", ...page, rank: result.rank, target: result.url });
  else if (/^https?:/.test(anchor.href)) record({ kind: "link-click", ...page, target: anchor.href });
}

// An engine of her own may be at a place that is known already: the script is then started twice in a page.
const once = globalThis as { crowdlogRuns?: boolean };
if (!once.crowdlogRuns) void start();
once.crowdlogRuns = true;
