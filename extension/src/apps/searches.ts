/** A person's searches as the task model takes them: adjacent equal queries are one search, with the sites clicked for any of them. */

import type { Search as ModelSearch } from "../../lib/tasks.ts";
import { isSearch, type LogEvent } from "../log/events.ts";
import { groupBy } from "../log/group.ts";
import { normalise } from "../log/normalise.ts";
import { seconds } from "../log/sessions.ts";
import { withTrails } from "../log/trails.ts";

export interface TaskSearch extends ModelSearch {
  /** Of its event; an equal query right after it has the same. */
  readonly uid: string;
  readonly milliseconds: number;
  readonly text: string;
  /** Pages that were reached from it, in any number of clicks; `sites` are of its own page's clicks alone, as the model was trained. */
  readonly visits: readonly string[];
}

export function taskSearches(events: readonly LogEvent[]): TaskSearch[] {
  const clicks = clicksBySearch(events);
  const trails = clicksBySearch(withTrails(events));
  const found: TaskSearch[] = [];
  for (const event of events.filter(isSearch)) {
    const query = normalise(event.query);
    if (query === "") continue;
    const sites = sitesOf(clicks.get(event.uid) ?? []);
    const visits = trails.get(event.uid) ?? [];
    const last = found.at(-1);
    if (last?.query === query) {
      found[found.length - 1] = { ...last, visits: [...last.visits, ...visits], sites: [...new Set([...(last.sites ?? []), ...sites])] };
    } else {
      found.push({ uid: event.uid, query, time: seconds(event), milliseconds: event.time, text: event.query, visits, sites });
    }
  }
  return found;
}

/** Where clicks that belong to a search led to. */
function clicksBySearch(events: readonly LogEvent[]): Map<string, string[]> {
  const clicks = events.filter(({ kind, search, target }) => kind.endsWith("click") && search !== undefined && target !== undefined);
  const grouped = groupBy(clicks, ({ search }) => search as string);
  return new Map([...grouped].map(([search, all]) => [search, all.map(({ target }) => target as string)]));
}

/** Hosts without www. */
function sitesOf(urls: readonly string[]): string[] {
  return [...new Set(urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname.replace(/^www\./, "")] : [])))];
}
