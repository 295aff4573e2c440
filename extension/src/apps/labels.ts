/** What she said about tasks by moving searches: searches of one label stay together, searches of different labels apart. */

import { LABELS } from "../store/orphans.ts";
import { readState, writeState } from "../store/state.ts";

export type Labels = Readonly<Record<string, number>>;

export function taskLabels(): Promise<Labels> {
  return readState<Labels>(LABELS, {});
}

export function saveTaskLabels(labels: Labels): Promise<void> {
  return writeState(LABELS, labels);
}

/**
 * A search was moved to another task (`target`: its searches; empty for a new task). It must go with them, and must not go with those it was moved away from.
 */
export function moved(labels: Labels, search: string, source: readonly string[], target: readonly string[]): Labels {
  const rest = source.filter((uid) => uid !== search);
  const changed: Record<string, number> = { ...labels };
  const next = 1 + Math.max(-1, ...Object.values(labels));
  const there = labelOf(labels, target) ?? next;
  const here = labelOf(labels, rest) ?? next + 1;
  for (const uid of target) changed[uid] ??= there;
  for (const uid of rest) changed[uid] ??= here === there ? next + 1 : here;
  changed[search] = there;
  return changed;
}

/** The label most of these searches have, if any. */
function labelOf(labels: Labels, uids: readonly string[]): number | undefined {
  const counts = new Map<number, number>();
  for (const uid of uids) {
    const label = labels[uid];
    if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
