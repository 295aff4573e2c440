/** A published crowd log as a graph, and what it recommends for single queries: the same answers as src/crowdlog/applications/recommendation.
 *  It is evaluated here, so nobody is told what a person searches. */

import { type Answer, byCodePoint, mergeAnswers } from "./recommend.ts";

const RESTART = 0.1;
const STEPS = 30;
const ANSWERED = 1000;
const MIXED = 0.1; // weight of the walk, both in units of their best score
const POPULARITY = 0.1; // how much the logarithm of a query's count adds to its overlap
const DASH = "-"; // AOL's scrubbed query

export interface CrowdLog {
  readonly queries: readonly (readonly [query: string, count: number])[];
  readonly pairs: readonly (readonly [query: string, next: string, count: number])[];
}

export class QueryGraph {
  private readonly names: readonly string[];
  private readonly number: ReadonlyMap<string, number>;
  private readonly count: Float64Array;
  private readonly edges: { readonly from: Int32Array; readonly to: Int32Array; readonly weight: Float64Array };
  private readonly terms = new Map<string, number[]>();
  private readonly idf = new Map<string, number>();
  private readonly whole: Float64Array;
  private readonly uniform: Float64Array;

  constructor(log: CrowdLog) {
    const texts = new Set([...log.queries.map(([query]) => query), ...log.pairs.flatMap(([query, next]) => [query, next])]);
    this.names = [...texts].filter((text) => text !== DASH && text !== "").sort(byCodePoint);
    this.number = new Map(this.names.map((name, i) => [name, i]));
    const n = this.names.length;
    const good = log.pairs.filter(([a, b, weight]) => this.number.has(a) && this.number.has(b) && weight > 0);
    const [out, into] = [new Float64Array(n), new Float64Array(n)];
    const from = Int32Array.from(good, ([a]) => this.number.get(a) as number);
    const to = Int32Array.from(good, ([, b]) => this.number.get(b) as number);
    good.forEach(([, , weight], e) => {
      out[from[e] as number]! += weight;
      into[to[e] as number]! += weight;
    });
    this.edges = { from, to, weight: Float64Array.from(good, ([, , weight], e) => weight / (out[from[e] as number] as number)) };
    const asked = new Map(log.queries);
    this.count = Float64Array.from(this.names, (name, i) => Math.max(asked.get(name) ?? 0, out[i] as number, into[i] as number, 0));
    this.whole = this.readTerms();
    this.uniform = this.walk([...this.names.keys()]);
  }

  get size(): number {
    return this.names.length;
  }

  /** Queries that may follow this one, best first. */
  answer(query: string, top = ANSWERED): Answer {
    const both = mergeAnswers([scaled(this.walked(query, top)), scaled(this.overlap(query, top))], [MIXED, 1 - MIXED], top);
    const whole = both.reduce((sum, [, score]) => sum + score, 0);
    return both.map(([text, score]) => [text, score / whole]);
  }

  private readTerms(): Float64Array {
    this.names.forEach((name, i) => {
      for (const term of new Set(termsOf(name))) {
        const held = this.terms.get(term);
        if (held) held.push(i);
        else this.terms.set(term, [i]);
      }
    });
    const whole = new Float64Array(this.names.length);
    for (const [term, held] of this.terms) {
      const idf = Math.log(1 + this.names.length / held.length);
      this.idf.set(term, idf);
      for (const i of held) whole[i]! += idf;
    }
    return whole;
  }

  /** Random walk with restart; queries without a follower lose their mass. */
  private walk(starts: readonly number[]): Float64Array {
    const v = new Float64Array(this.names.length);
    for (const i of starts) v[i] = 1 / Math.max(1, starts.length);
    const { from, to, weight } = this.edges;
    let u = v;
    for (let step = 0; step < STEPS; step++) {
      const next = v.map((mass) => RESTART * mass);
      for (let e = 0; e < from.length; e++) next[to[e] as number]! += (1 - RESTART) * (weight[e] as number) * (u[from[e] as number] as number);
      u = next;
    }
    return u;
  }

  private walked(query: string, top: number): Answer {
    const known = [...new Set(termsOf(query))].filter((term) => this.terms.has(term));
    if (known.length === 0) return [];
    const logs = new Float64Array(this.names.length);
    for (const term of known) {
      const u = this.walk(this.terms.get(term) as number[]);
      u.forEach((mass, i) => (logs[i]! += mass > 0 ? Math.log(mass / Math.sqrt((this.uniform[i] as number) || 1)) : -Infinity));
    }
    return this.best(logs.map((log) => Math.exp(log / known.length)), top, "all");
  }

  private overlap(query: string, top: number): Answer {
    const scores = new Float64Array(this.names.length);
    let asked = 0;
    for (const term of new Set(termsOf(query))) {
      const idf = this.idf.get(term) ?? 0;
      asked += idf;
      for (const i of this.terms.get(term) ?? []) scores[i]! += idf;
    }
    const itself = this.number.get(query);
    const all = Math.max(asked, 1e-9);
    const weighed = scores.map((score, i) =>
      i === itself ? 0 : (score / Math.sqrt(Math.max((this.whole[i] as number) * all, 1e-9))) * (1 + POPULARITY * Math.log1p(this.count[i] as number)),
    );
    return this.best(weighed, top, "top");
  }

  /** Best first, ties by number; scores sum to 1 over all queries, or over those that are kept. */
  private best(scores: Float64Array, top: number, over: "all" | "top"): Answer {
    const numbers = [...scores.keys()].filter((i) => (scores[i] as number) > 0).sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
    const kept = numbers.slice(0, top);
    const sum = (over === "all" ? numbers : kept).reduce((total, i) => total + (scores[i] as number), 0);
    return kept.map((i) => [this.names[i] as string, (scores[i] as number) / sum]);
  }
}

/** In units of the best score, which comes first. */
function scaled(answer: Answer): Answer {
  return answer.map(([query, score]) => [query, score / (answer[0] as [string, number])[1]]);
}

function termsOf(query: string): string[] {
  return query.split(" ").filter((term) => term !== "");
}
