/** The same tasks as `findTasks` for thousands of searches: texts are read once, pairs with hardly a common letter are told from the table, and
 *  clusters are joined along chains of nearest neighbours (Murtagh 1983), as src/crowdlog/applications/tasks/clustering.py does. */

import { Told } from "./told.ts";
import { LOUD, type Search, sameTask, type TaskModel, textsOf } from "./tasks.ts";

/** Histories are cut into pieces of this length, as the Python package does. */
export const LONGEST_HISTORY = 3000;
const NEVER = -1e30; // a mean with one such pair in it stays far below every threshold

interface Read {
  readonly time: number;
  readonly points: Int32Array;
  readonly words: Int32Array;
  readonly stems: Int32Array;
  readonly grams: Int32Array;
  readonly sites: Int32Array;
}

/** Scores of pairs of searches whose texts were read once. */
export class PairScores {
  private readonly read: readonly Read[];
  private readonly trees: Trees;
  private readonly vector = new Float64Array(11);
  private readonly row: Int32Array;
  /** Only a model that was learned on unbinned features tells a pair with hardly a common letter from its table. */
  private readonly plain: boolean;

  constructor(private readonly model: TaskModel, searches: readonly Search[]) {
    this.trees = new Trees(model);
    this.plain = model.bins === "none" && model.learner !== "lucchese";
    const numbers = new Map<string, number>();
    const numbered = (texts: ReadonlySet<string>, kind: string): Int32Array =>
      Int32Array.from(texts, (text) => {
        const name = kind + text;
        const known = numbers.get(name) ?? numbers.size;
        numbers.set(name, known);
        return known;
      }).sort();
    this.read = searches.map((search) => {
      const { points, words, stems, grams } = textsOf(search.query);
      return { time: search.time, points: Int32Array.from(points), words: numbered(words, "w"), stems: numbered(stems, "s"), grams: numbered(grams, "g"), sites: numbered(new Set(search.sites ?? []), "u") };
    });
    this.row = new Int32Array(1 + Math.max(0, ...this.read.map(({ points }) => points.length)));
  }

  get length(): number {
    return this.read.length;
  }

  /** How surely the searches i and j, in order of time, serve one task. */
  score(i: number, j: number): number {
    const [one, other] = [this.read[i] as Read, this.read[j] as Read];
    const [w, s, g, u] = [common(one.words, other.words), common(one.stems, other.stems), common(one.grams, other.grams), common(one.sites, other.sites)];
    const seconds = Math.abs(other.time - one.time);
    const between = Math.abs(j - i) - 1;
    const noSites = one.sites.length === 0 || other.sites.length === 0;
    const sites = noSites ? -1 : u / Math.min(one.sites.length, other.sites.length);
    const trigrams = g / Math.max(1, one.grams.length + other.grams.length - g);
    if (this.plain && trigrams < LOUD && s === 0 && sites <= 0) return this.trees.quiet(seconds, between);
    const [x, y] = [one.points.length, other.points.length];
    const v = this.vector;
    v[0] = seconds;
    v[1] = w / Math.max(1, one.words.length + other.words.length - w);
    v[2] = 1 - distance(one.points, other.points, this.row) / Math.max(1, x, y);
    v[3] = trigrams;
    v[4] = s / Math.sqrt(Math.max(1, one.stems.length * other.stems.length));
    v[5] = s / Math.max(1, Math.min(one.stems.length, other.stems.length));
    v[6] = g / Math.max(1, Math.min(one.grams.length, other.grams.length));
    v[7] = sites;
    v[8] = between;
    v[9] = Math.min(x, y);
    v[10] = Math.max(x, y);
    return this.plain ? this.trees.score(v) : sameTask(this.model, Array.from(v));
  }
}

/** A model's trees in arrays of numbers: millions of pairs go through them. */
class Trees {
  private readonly feature: Int32Array;
  private readonly threshold: Float64Array;
  private readonly left: Int32Array;
  private readonly right: Int32Array;
  private readonly value: Float64Array;

  constructor(private readonly model: TaskModel) {
    const { feature, threshold, left, right, value } = model.trees;
    this.feature = Int32Array.from(feature);
    this.threshold = Float64Array.from(threshold);
    this.left = Int32Array.from(left);
    this.right = Int32Array.from(right);
    this.value = Float64Array.from(value);
  }

  score(vector: Float64Array): number {
    const { feature, threshold, left, right, value } = this;
    const { roots, base, logistic } = this.model.trees;
    let total = base;
    for (let t = 0; t < roots.length; t++) {
      let node = roots[t] as number;
      let at = feature[node] as number;
      while (at >= 0) {
        node = ((vector[at] as number) < (threshold[node] as number) ? left[node] : right[node]) as number;
        at = feature[node] as number;
      }
      total += value[node] as number;
    }
    return logistic ? 1 / (1 + Math.exp(-total)) : total;
  }

  quiet(seconds: number, between: number): number {
    const row = this.model.quiet[atMost(this.model.quiet_seconds, seconds)] as number[];
    return row[atMost(this.model.quiet_between, between)] as number;
  }
}

/** How many of these rising bounds are at most x. */
function atMost(bounds: readonly number[], x: number): number {
  let count = 0;
  while (count < bounds.length && (bounds[count] as number) <= x) count++;
  return count;
}

/** Levenshtein's distance; `row` is room for the longer text. */
function distance(a: Int32Array, b: Int32Array, row: Int32Array): number {
  for (let i = 0; i <= a.length; i++) row[i] = i;
  for (let j = 0; j < b.length; j++) {
    const y = b[j];
    let diagonal = row[0] as number;
    row[0] = diagonal + 1;
    for (let i = 0; i < a.length; i++) {
      const replaced = diagonal + (a[i] === y ? 0 : 1);
      diagonal = row[i + 1] as number;
      const shorter = Math.min(row[i] as number, diagonal) + 1;
      row[i + 1] = replaced < shorter ? replaced : shorter;
    }
  }
  return row[a.length] as number;
}

/** How many numbers two sorted lists share. */
function common(a: Int32Array, b: Int32Array): number {
  let [i, j, shared] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const difference = (a[i] as number) - (b[j] as number);
    if (difference === 0) shared++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return shared;
}

/** The task of each search, the number of its first search. `known`: her own task of each, −1 where she gave none. `progress` is told which share is done. */
export function groupTasks(model: TaskModel, searches: readonly Search[], known: readonly number[], progress: (share: number) => void = () => undefined, longest = LONGEST_HISTORY): number[] {
  if (model.link !== "average") throw new Told("told_model_link");
  const tasks: number[] = [];
  for (let begin = 0; begin < searches.length; begin += longest) {
    const piece = searches.slice(begin, begin + longest);
    const scores = scoreTable(new PairScores(model, piece), (share) => progress((begin + share * piece.length) / searches.length));
    tasks.push(...new Clusters(scores, piece.length, known.slice(begin, begin + longest), model.eta).found().map((task) => begin + task));
  }
  return tasks;
}

function scoreTable(pairs: PairScores, progress: (share: number) => void): Float32Array {
  const n = pairs.length;
  const scores = new Float32Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) scores[i * n + j] = scores[j * n + i] = pairs.score(j, i);
    if (i % 100 === 0) progress((i / n) ** 2);
  }
  return scores;
}

class Clusters {
  private readonly size: Float64Array;
  private readonly alive: Uint8Array;
  private readonly cluster: Int32Array;

  constructor(private readonly scores: Float32Array, private readonly n: number, private readonly known: readonly number[], private readonly eta: number) {
    this.size = new Float64Array(n).fill(1);
    this.alive = new Uint8Array(n).fill(1);
    this.cluster = Int32Array.from({ length: n }, (_x, i) => i);
    this.forbid();
  }

  found(): number[] {
    for (let start = 0; start < this.n; start++) if (this.alive[start]) this.follow(start);
    this.joinLabelled();
    return Array.from(this.cluster, (_x, i) => this.root(i));
  }

  private root(search: number): number {
    let root = search;
    while (this.cluster[root] !== root) root = this.cluster[root] as number;
    return root;
  }

  /** From cluster to nearest cluster until two are each other's: these are joined. What has nothing near enough is a task. */
  private follow(start: number): void {
    const chain = [start];
    while (chain.length > 0) {
      const end = chain.at(-1) as number;
      const before = chain.at(-2) ?? -1;
      const [best, other] = this.nearest(end, before);
      if (other < 0 || best < this.eta) {
        this.alive[end] = 0;
        chain.pop();
      } else if (other === before) {
        chain.splice(-2);
        const kept = Math.min(end, other);
        this.merge(kept, Math.max(end, other));
        if (chain.length === 0) chain.push(kept);
      } else {
        chain.push(other);
      }
    }
  }

  /** The largest mean score of a cluster with another; the one before in the chain wins ties. */
  private nearest(end: number, before: number): [best: number, other: number] {
    const row = end * this.n;
    let [best, other] = before >= 0 && this.alive[before] ? [this.scores[row + before] as number, before] : [-Infinity, -1];
    for (let k = 0; k < this.n; k++) {
      const score = this.scores[row + k] as number;
      if (score > best && this.alive[k] && k !== end) [best, other] = [score, k];
    }
    return [best, other];
  }

  private merge(kept: number, gone: number): void {
    const { n, scores } = this;
    const [a, b] = [this.size[kept] as number, this.size[gone] as number];
    for (let k = 0; k < n; k++) {
      if (!this.alive[k] || k === kept || k === gone) continue;
      scores[kept * n + k] = scores[k * n + kept] = (a * (scores[kept * n + k] as number) + b * (scores[gone * n + k] as number)) / (a + b);
    }
    this.size[kept] = a + b;
    this.alive[gone] = 0;
    this.cluster[gone] = kept;
  }

  /** Two of different labels are never joined, nor what holds them. */
  private forbid(): void {
    const labelled = this.known.flatMap((label, i) => (label >= 0 ? [[label, i] as const] : []));
    for (const [label, i] of labelled) {
      for (const [other, j] of labelled) if (label !== other) this.scores[i * this.n + j] = NEVER;
    }
  }

  /** What holds searches of one label is joined in the end: first, a large task of hers would draw little. */
  private joinLabelled(): void {
    const first = new Map<number, number>();
    this.known.forEach((label, i) => {
      if (label < 0) return;
      const [one, other] = [this.root(first.get(label) ?? i), this.root(i)];
      first.set(label, Math.min(one, other));
      this.cluster[Math.max(one, other)] = Math.min(one, other);
    });
  }
}
