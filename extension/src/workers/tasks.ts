/** Reads the log and groups its searches into tasks, away from the page. */

import { groupTasks, PairScores } from "../../lib/task-groups.ts";
import { readTaskModel, type TaskModel } from "../../lib/tasks.ts";
import type { Labels } from "../apps/labels.ts";
import { type TaskSearch, taskSearches } from "../apps/searches.ts";
import { type Grouped, tasksOf } from "../apps/tasks.ts";
import { eventsOf } from "../store/events.ts";
import { channel } from "./channel.ts";

let model: Promise<TaskModel> | undefined;

async function shipped(): Promise<TaskModel> {
  return readTaskModel(await (await fetch("task-model.json")).text());
}

const ask = channel(self as unknown as Parameters<typeof channel>[0], {
  group: async (labels: Labels, most: number): Promise<Grouped> => {
    model ??= shipped();
    const searches = taskSearches(await eventsOf(["search", "result-click", "link-click"])).slice(-most);
    const task = groupTasks(await model, searches, searches.map(({ uid }) => labels[uid] ?? -1), (share) => void ask("progress", share));
    return { searches, tasks: tasksOf(searches, task) };
  },
  /** How surely each search serves the task of the last one. */
  withLast: async (searches: readonly Pick<TaskSearch, "uid" | "query" | "time" | "sites">[]): Promise<number[]> => {
    model ??= shipped();
    const pairs = new PairScores(await model, searches);
    return searches.map((_search, i) => (i === searches.length - 1 ? 1 : pairs.score(i, searches.length - 1)));
  },
});
