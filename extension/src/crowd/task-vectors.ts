/** Feature vectors of pairs of searches that she put into tasks with her own hand, as `crowdlog tasks vectors` writes them: no query is in them. */

import { binned, pairFeatures } from "../../lib/tasks.ts";
import type { Labels } from "../apps/labels.ts";
import type { TaskSearch } from "../apps/searches.ts";
import { groupBy } from "../log/group.ts";
import type { Mined } from "./mining.ts";

export type Bins = "bin1" | "bin2";

/** Every pair of labelled searches: the bins, whether they are of one task, and time, words, edit, trigrams and meaning in bins. */
export function taskVectors(searches: readonly TaskSearch[], labels: Labels, bins: Bins): Mined[] {
  const labelled = searches.filter(({ uid }) => labels[uid] !== undefined);
  const texts = labelled.flatMap((one, i) => labelled.slice(i + 1).map((other) => {
    const same = labels[one.uid] === labels[other.uid] ? "same" : "different";
    return [bins, same, ...binned(pairFeatures(one, other, 0), bins)].join(" "); // how many lie between is in no bin
  }));
  return [...groupBy(texts, (text) => text)].map(([text, all]) => ({ texts: [text], impressions: all.length, inner: [] }));
}
