/** The page's side of the worker that finds tasks. */

import { channel } from "../workers/channel.ts";
import { moved, saveTaskLabels, taskLabels } from "./labels.ts";
import type { TaskSearch } from "./searches.ts";
import type { Grouped, Task } from "./tasks.ts";

export interface TaskClient {
  /** Groups the newest so many searches, or the whole log. */
  group(most?: number): Promise<Grouped>;
  /** How surely each search serves the task of the last one. */
  withLast(searches: readonly TaskSearch[]): Promise<number[]>;
}

export function taskClient(progress: (share: number) => void = () => undefined): TaskClient {
  const ask = channel(new Worker("task-worker.js"), { progress: progress as never });
  return {
    group: async (most = Infinity) => (await ask("group", await taskLabels(), most)) as Grouped,
    withLast: async (searches) => (await ask("withLast", searches.map(forWorker))) as number[],
  };
}

/** What the model looks at: less to copy to the worker. */
function forWorker({ uid, query, time, sites }: TaskSearch): Pick<TaskSearch, "uid" | "query" | "time" | "sites"> {
  return { uid, query, time, ...(sites === undefined ? {} : { sites }) };
}

export async function move(search: string, source: Task, target: Task | undefined): Promise<void> {
  const uids = (task: Task | undefined) => task?.searches.map(({ uid }) => uid) ?? [];
  await saveTaskLabels(moved(await taskLabels(), search, uids(source), uids(target)));
}
