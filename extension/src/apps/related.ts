/** Other tasks near to the current search, which stand beside it. */

import type { TaskSearch } from "./searches.ts";
import type { Grouped, Task } from "./tasks.ts";

const NEAR = 0.35; // the shipped model joins searches from here on; one that merely comes right before has .2

/** The nearest tasks first, by the best score of one of their searches; `scores`: how surely each search serves the task of the last one. */
export function relatedTasks({ searches, tasks }: Grouped, scores: readonly number[], most: number): Task[] {
  const current = searches.at(-1)?.uid;
  const score = new Map(searches.map(({ uid }, i) => [uid, scores[i] as number]));
  const best = (task: Task): number => Math.max(...task.searches.map(({ uid }) => score.get(uid) ?? 0));
  const holds = (task: Task): boolean => task.searches.some(({ uid }: TaskSearch) => uid === current);
  const near = tasks.filter((task) => !holds(task)).map((task) => [best(task), task] as const).filter(([value]) => value >= NEAR);
  return near.sort((a, b) => b[0] - a[0]).slice(0, most).map(([, task]) => task);
}

/** For links to a task's card. */
export function cardOf(task: Task): string {
  return `task-${task.searches[0]?.uid ?? ""}`;
}

/** The task of a link; one that was made of a part of the log names any of its searches. */
export function taskAt(hash: string, tasks: readonly Task[]): Task | undefined {
  return tasks.find(({ searches }) => searches.some(({ uid }) => hash === `#task-${uid}`));
}
