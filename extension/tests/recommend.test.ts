import { describe, expect, it } from "vitest";
import vectors from "../../tests/vectors/recommend-v1.json";
import { type Answer, type ContextModel, contextWeights, mergeAnswers } from "../lib/recommend.ts";

describe("task-aware recommendation", () => {
  it.each(vectors.weights)("weighs a context by $model", ({ model, sametask, lambda, weights }) => {
    const found = contextWeights(model as ContextModel, sametask, { beta: 0.8, tau: 0.2, lambda });
    found.forEach((weight, i) => expect(weight).toBeCloseTo(weights[i]!, 12));
  });

  it("merges answers", () => {
    for (const { answers, weights, top, merged } of vectors.merges) {
      const found = mergeAnswers(answers as unknown as Answer[], weights, top);
      expect(found.map(([query]) => query)).toEqual(merged.map(([query]) => query));
      found.forEach(([, score], i) => expect(score).toBeCloseTo(merged[i]![1] as number, 12));
    }
  });
});
