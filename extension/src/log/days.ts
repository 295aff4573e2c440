/** Days as her clock has them: one on which the clocks change has 23 or 25 hours. */

/** The first moment of a day (`2026-03-29`, as a date field writes it) and the first of the next; undefined if it is no day. */
export function localDay(date: string): { readonly start: number; readonly end: number } | undefined {
  const start = new Date(`${date}T00:00`);
  if (Number.isNaN(start.getTime())) return undefined;
  const end = new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
  return { start: start.getTime(), end: end.getTime() };
}
