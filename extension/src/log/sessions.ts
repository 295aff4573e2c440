/** Where a session ends: at a pause of more than 26 minutes between two searches (Lucchese et al. 2011, Feild 2013). */

import type { Search } from "./events.ts";

export const SESSION_SECONDS = 26 * 60;

/** Splits searches, in order of time, into sessions. */
export function sessionsOf<T extends Pick<Search, "time">>(searches: readonly T[]): T[][] {
  const sessions: T[][] = [];
  let last: T | undefined;
  for (const search of searches) {
    const pause = last ? seconds(search) - seconds(last) : Infinity;
    if (pause > SESSION_SECONDS) sessions.push([]);
    (sessions.at(-1) as T[]).push(search);
    last = search;
  }
  return sessions;
}

export function seconds(event: Pick<Search, "time">): number {
  return Math.floor(event.time / 1000);
}
