/** Search trails: pages reached from a search in any number of steps. A step is a click on a link; a page that was reached from
 *  two searches belongs to the later one. A result page begins a trail and is no step of one. */

import { isSearch, type LogEvent } from "./events.ts";

/** The events with every step of a trail as a click of its search, as an import with trails reads a browser's history. */
export function withTrails(events: readonly LogEvent[]): LogEvent[] {
  const searches = new Map<string, string>(); // address of a page: uid of the search it was reached from
  const resultPages = new Set(events.filter(isSearch).map(({ url }) => url));
  const inOrder = [...events].sort((a, b) => a.time - b.time);
  return inOrder.map((event) => {
    if (!event.kind.endsWith("click") || event.target === undefined || resultPages.has(event.target)) return event;
    const search = event.search ?? searches.get(event.url ?? "");
    if (search === undefined) return event;
    searches.set(event.target, search);
    return { ...event, kind: "result-click", search };
  });
}
