// The client's half of a recommendation: weights of the context and the merge of the server's answers; the same
// numbers as src/crowdlog/applications/recommendation (tests/vectors/recommend-v1.json).

export type Answer = [query: string, score: number][];
export type ContextModel = "reference" | "decay" | "soft" | "hard" | "firm1" | "firm2";

export interface Settings {
  beta: number;
  tau: number;
  lambda: number;
}

export const SETTINGS: Settings = { beta: 0.8, tau: 0.2, lambda: 1 };

/** The weight of each query of a context, oldest first; `sameTask` holds its score with the last one. */
export function contextWeights(model: ContextModel, sameTask: number[], settings: Settings = SETTINGS): number[] {
  const { beta, tau, lambda } = settings;
  const m = sameTask.length;
  const decay = sameTask.map((_s, i) => beta ** (m - 1 - i));
  if (model === "reference") return sameTask.map((_s, i) => (i === m - 1 ? 1 : 0));
  if (model === "decay") return decay;
  const steps = sameTask.map((_s, i) => sameTask.slice(i + 1).filter((score) => score > tau).length);
  const own = sameTask.map((score, i) => {
    if (model === "soft") return score * decay[i]!;
    if (!(score > tau)) return 0;
    if (model === "firm1") return score * decay[i]!;
    return (model === "hard" ? 1 : score) * beta ** steps[i]!;
  });
  return own.map((weight, i) => lambda * weight + (1 - lambda) * decay[i]!);
}

export function byCodePoint(a: string, b: string): number {
  const [x, y] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const difference = x[i]!.codePointAt(0)! - y[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return x.length - y.length;
}

/** The sum of weight times score of each query; a query that an answer does not name has 0 there. */
export function mergeAnswers(answers: Answer[], weights: number[], top: number): Answer {
  const total = new Map<string, number>();
  answers.forEach((answer, i) => {
    const weight = weights[i]!;
    if (weight <= 0) return;
    for (const [query, score] of answer) total.set(query, (total.get(query) ?? 0) + weight * score);
  });
  return [...total].sort((a, b) => b[1] - a[1] || byCodePoint(a[0], b[0])).slice(0, top);
}
