/** Days as her clock has them: one on which the clocks change has 23 or 25 hours. */

/** The first moment of a day (`2026-03-29`, as a date field writes it) and the first of the next; undefined if it is no day. */
export function localDay(date: string): { readonly start: number; readonly end: number } | undefined {
  const start = new Date(`${date}T00:00`);
  if (Number.isNaN(start.getTime())) return undefined;
  const end = new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
  return { start: start.getTime(), end: end.getTime() };
}

/** The last so many days up to the one of `now`, the oldest first, each with how many of these times lie in it. */
export function perDay(times: readonly number[], days: number, now: number): (readonly [day: Date, number: number])[] {
  const today = new Date(now);
  const first = (back: number): Date => new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
  const found = Array.from({ length: days }, (_x, i) => [first(days - 1 - i), first(days - 2 - i)] as const);
  return found.map(([start, end]) => [start, times.filter((time) => time >= start.getTime() && time < end.getTime()).length] as const);
}
