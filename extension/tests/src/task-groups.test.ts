/** The fast grouping is the one of the vectors. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { groupTasks, PairScores } from "../../lib/task-groups.ts";
import { pairFeatures, readTaskModel, sameTask } from "../../lib/tasks.ts";

const file = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const vectors = JSON.parse(file("../../../tests/vectors/tasks-v1.json"));
const model = readTaskModel(file("../../../src/crowdlog/applications/tasks/default.json"));

describe("fast grouping", () => {
  it("has the scores of single pairs", () => {
    for (const { searches } of vectors.histories) {
      const pairs = new PairScores(model, searches);
      for (let i = 0; i < searches.length; i++) {
        for (let j = i + 1; j < searches.length; j++) expect(pairs.score(i, j)).toBe(sameTask(model, pairFeatures(searches[i], searches[j], j - i - 1)));
      }
    }
  });
  it("finds the tasks of the vectors, with and without what the person said", () => {
    for (const { searches, known, tasks } of vectors.histories) {
      expect(groupTasks(model, searches, known ?? searches.map(() => -1))).toEqual(tasks);
    }
  });
  it("cuts long histories and tells how far it is", () => {
    const many = Array.from({ length: 50 }, (_x, i) => ({ query: "same", time: i }));
    const shares: number[] = [];
    const tasks = groupTasks(model, many, many.map(() => -1), (share) => shares.push(share), 30);
    expect([...new Set(tasks)]).toEqual([0, 30]);
    expect(shares).toEqual([0, 0.6]);
  });
});
