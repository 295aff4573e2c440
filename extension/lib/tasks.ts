// The task model in a browser: the same answers as src/crowdlog/applications/tasks (tests/vectors/tasks-v1.json).
// A model is the JSON file that `crowdlog tasks train` writes; nothing of a person's searches leaves the page.

import { Told } from "./told.ts";
export interface Search {
  query: string; // normalised: small letters, single blanks
  time: number; // seconds
  sites?: string[]; // of clicked results
}

export interface TreesJson {
  feature: number[];
  threshold: number[];
  left: number[];
  right: number[];
  value: number[];
  roots: number[];
  base: number;
  logistic: boolean;
}

export interface TaskModel {
  format: string;
  version: number;
  learner: "boost" | "forest" | "lucchese";
  bins: "none" | "bin1" | "bin2";
  eta: number;
  eta_session?: number | null; // where sessions are clustered on their own
  link: "average" | "single";
  alpha: number;
  trees: TreesJson;
  quiet_seconds: number[];
  quiet_between: number[];
  quiet: number[][];
}

const FORMAT = "crowdlog-task-model";
const VERSION = 2;
const STEM = 5;
export const LOUD = 0.05; // likeness of trigrams from which on words tell
const STOP_WORDS = new Set(
  (
    "a an and are as at be but by com do does edu for from had has have how http i if in into is it its my " +
    "net no not of on or org our she so such that the their then there these they this to was we were what " +
    "when where which who will with www you your"
  ).split(" "),
);
const [SECONDS, WORD, EDIT, TRIGRAM, SEMANTIC, STEMS_IN, TRIGRAMS_IN, SITES, BETWEEN, SHORTER, LONGER] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const;

/** A model that this version reads, or an error that says what is wrong. */
export function readTaskModel(text: string): TaskModel {
  const data = JSON.parse(text) as TaskModel;
  if (data.format !== FORMAT) throw new Told("told_model_other");
  if (data.version !== VERSION) {
    throw new Told("told_model_version", data.version, VERSION);
  }
  return data;
}

function isLetter(c: number): boolean {
  return (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c >= 128;
}

function points(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number);
}

function words(text: string): Set<string> {
  return new Set(text.split(" ").filter((word) => word !== ""));
}

function stems(text: string): Set<string> {
  const found = new Set<string>();
  let word: string[] = [];
  const end = () => {
    if (word.length && !STOP_WORDS.has(word.join(""))) found.add(word.slice(0, STEM).join(""));
    word = [];
  };
  for (const character of text) {
    if (isLetter(character.codePointAt(0) as number)) word.push(character);
    else end();
  }
  end();
  return found;
}

function grams(text: string): Set<string> {
  const characters = Array.from(text);
  if (characters.length < 3) return new Set(characters.length ? [text] : []);
  return new Set(characters.slice(2).map((_c, i) => characters.slice(i, i + 3).join("")));
}

/** A query as the features see it. */
export function textsOf(query: string): { points: number[]; words: Set<string>; stems: Set<string>; grams: Set<string> } {
  return { points: points(query), words: words(query), stems: stems(query), grams: grams(query) };
}

function common<T>(a: Set<T>, b: Set<T>): number {
  let count = 0;
  for (const value of a) if (b.has(value)) count += 1;
  return count;
}

/** Levenshtein's distance of two texts, in code points. */
export function levenshtein(a: number[], b: number[]): number {
  const row = Array.from({ length: a.length + 1 }, (_x, i) => i);
  for (const y of b) {
    let diagonal = row[0]!;
    row[0] = diagonal + 1;
    for (let i = 0; i < a.length; i++) {
      const replaced = diagonal + (a[i] === y ? 0 : 1);
      diagonal = row[i + 1]!;
      row[i + 1] = Math.min(replaced, row[i]! + 1, diagonal + 1);
    }
  }
  return row[a.length]!;
}

/** What two searches have in common; `between`: searches of the person between them. */
export function pairFeatures(one: Search, other: Search, between: number): number[] {
  const out = new Array<number>(11).fill(0);
  const [g, h] = [grams(one.query), grams(other.query)];
  const sharedGrams = common(g, h);
  const [v, w] = [words(one.query), words(other.query)];
  const sharedWords = common(v, w);
  const [s, t] = [stems(one.query), stems(other.query)];
  const sharedStems = common(s, t);
  const [x, y] = [points(one.query), points(other.query)];
  const [p, q] = [new Set(one.sites ?? []), new Set(other.sites ?? [])];
  out[SECONDS] = Math.abs(other.time - one.time);
  out[WORD] = sharedWords / Math.max(1, v.size + w.size - sharedWords);
  out[EDIT] = 1 - levenshtein(x, y) / Math.max(1, x.length, y.length);
  out[TRIGRAM] = sharedGrams / Math.max(1, g.size + h.size - sharedGrams);
  out[SEMANTIC] = sharedStems / Math.sqrt(Math.max(1, s.size * t.size));
  out[STEMS_IN] = sharedStems / Math.max(1, Math.min(s.size, t.size));
  out[TRIGRAMS_IN] = sharedGrams / Math.max(1, Math.min(g.size, h.size));
  out[SITES] = p.size === 0 || q.size === 0 ? -1 : common(p, q) / Math.min(p.size, q.size);
  out[BETWEEN] = between;
  out[SHORTER] = Math.min(x.length, y.length);
  out[LONGER] = Math.max(x.length, y.length);
  return out;
}

function below(bounds: number[], x: number): number {
  return bounds.filter((bound) => bound <= x).length;
}

function sumOfTrees(trees: TreesJson, vector: number[]): number {
  let total = trees.base;
  for (const root of trees.roots) {
    let node = root;
    for (let feature = trees.feature[node]!; feature >= 0; feature = trees.feature[node]!) {
      node = vector[feature]! < trees.threshold[node]! ? trees.left[node]! : trees.right[node]!;
    }
    total += trees.value[node]!;
  }
  return trees.logistic ? 1 / (1 + Math.exp(-total)) : total;
}

/** A feature vector in its bins: time, words, edit, trigrams, semantic. */
export function binned(vector: number[], bins: "bin1" | "bin2"): number[] {
  const seconds = vector[SECONDS]!;
  const rest = [WORD, EDIT, TRIGRAM, SEMANTIC].map((i) => vector[i]!);
  if (bins === "bin2") return [seconds < 60 ? 0 : 1, ...rest.map((x) => (x < 0.5 ? 0 : 1))];
  const time = seconds < 30 ? 0 : seconds < 60 ? 0.25 : seconds < 3600 ? 0.5 : 1;
  const share = (x: number) => (x < 0.025 ? 0 : x <= 0.25 ? 0.25 : x < 0.75 ? 0.5 : x <= 0.975 ? 0.75 : 1);
  return [time, ...rest.map(share)];
}

/** The score of a feature vector: how surely two searches serve one task. */
export function sameTask(model: TaskModel, vector: number[]): number {
  if (model.learner === "lucchese") {
    return (model.alpha * (vector[TRIGRAM]! + vector[EDIT]!)) / 2 + (1 - model.alpha) * vector[SEMANTIC]!;
  }
  if (model.bins !== "none") return sumOfTrees(model.trees, binned(vector, model.bins));
  if (vector[TRIGRAM]! < LOUD && vector[SITES]! <= 0 && vector[SEMANTIC] === 0) {
    const row = model.quiet[below(model.quiet_seconds, vector[SECONDS]!)]!;
    return row[below(model.quiet_between, vector[BETWEEN]!)]!;
  }
  return sumOfTrees(model.trees, vector);
}

/** The scores of all pairs of a person's searches, in the order of time. */
export function scoreMatrix(model: TaskModel, searches: Search[]): number[][] {
  return searches.map((one, i) =>
    searches.map((other, j) => {
      if (i === j) return 0;
      const [first, second] = i < j ? [one, other] : [other, one];
      return sameTask(model, pairFeatures(first, second, Math.abs(i - j) - 1));
    }),
  );
}

/**
 * The task of each search: the number of its first search. Clusters with the largest mean score are joined while
 * that is at least eta. `known`: the person's own task of each search, -1 where she gave none: searches of different
 * tasks of hers are never joined, and what holds searches of one of them is joined in the end.
 */
export function averageLink(scores: number[][], known: number[], eta: number): number[] {
  let clusters = known.map((_label, search) => [search]);
  for (;;) {
    const [best, a, b] = nearest(clusters, scores, known);
    if (best < eta) break;
    clusters[a] = [...clusters[a]!, ...clusters[b]!].sort((x, y) => x - y);
    clusters = clusters.filter((_c, i) => i !== b);
  }
  const task = new Array<number>(scores.length).fill(0);
  const firstOf = new Map<number, number>();
  for (const cluster of clusters.sort((one, other) => one[0]! - other[0]!)) {
    const label = labelOf(cluster, known);
    const first = firstOf.get(label) ?? cluster[0]!;
    if (label >= 0) firstOf.set(label, first);
    for (const search of cluster) task[search] = first;
  }
  return task;
}

function labelOf(cluster: number[], known: number[]): number {
  return Math.max(...cluster.map((search) => known[search]!));
}

function nearest(clusters: number[][], scores: number[][], known: number[]): [number, number, number] {
  let found: [number, number, number] = [-Infinity, -1, -1];
  for (let a = 0; a < clusters.length; a++) {
    for (let b = a + 1; b < clusters.length; b++) {
      const [one, other] = [labelOf(clusters[a]!, known), labelOf(clusters[b]!, known)];
      if (one >= 0 && other >= 0 && one !== other) continue;
      let sum = 0;
      for (const i of clusters[a]!) for (const j of clusters[b]!) sum += scores[i]![j]!;
      const mean = sum / (clusters[a]!.length * clusters[b]!.length);
      if (mean > found[0]) found = [mean, a, b];
    }
  }
  return found;
}

/** The tasks of a person's searches under a model that clusters by average link. */
export function findTasks(model: TaskModel, searches: Search[], known?: number[]): number[] {
  if (model.link !== "average") throw new Told("told_model_link");
  const labels = known ?? searches.map(() => -1);
  return averageLink(scoreMatrix(model, searches), labels, model.eta);
}
