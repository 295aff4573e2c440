import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findTasks, pairFeatures, readTaskModel, sameTask, scoreMatrix } from "../lib/tasks.ts";

const file = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const vectors = JSON.parse(file("../../tests/vectors/tasks-v1.json"));
const model = readTaskModel(file("../../src/crowdlog/applications/tasks/default.json"));

describe("task model", () => {
  it("has the features and scores of the vectors", () => {
    for (const { one, other, between, features, score } of vectors.pairs) {
      const found = pairFeatures(one, other, between);
      found.forEach((x, i) => expect(x).toBeCloseTo(features[i], 12));
      expect(sameTask(model, found)).toBeCloseTo(score, 6);
    }
  });

  it("finds the tasks of the vectors, with and without what the person said", () => {
    for (const { searches, known, tasks } of vectors.histories) {
      expect(scoreMatrix(model, searches).length).toBe(searches.length);
      expect(findTasks(model, searches, known ?? undefined)).toEqual(tasks);
    }
  });

  it("refuses a model of another version", () => {
    const other = JSON.stringify({ format: "crowdlog-task-model", version: 99 });
    expect(() => readTaskModel(other)).toThrow("told_model_version 99");
  });
});
