/** Tasks as pages show them: a name and the searches of each, the newest task first. */

import { groupBy } from "../log/group.ts";
import { splitWords } from "../log/events.ts";
import type { TaskSearch } from "./searches.ts";

export interface Task {
  readonly name: string;
  readonly searches: readonly TaskSearch[];
}

/** All searches in order of time, and the tasks they make up. */
export interface Grouped {
  readonly searches: readonly TaskSearch[];
  readonly tasks: readonly Task[];
}

/** `task`: the number of the task of each search. */
export function tasksOf(searches: readonly TaskSearch[], task: readonly number[]): Task[] {
  const groups = groupBy([...searches.keys()], (i) => task[i] as number);
  const tasks = [...groups.values()].map((members) => members.map((i) => searches[i] as TaskSearch));
  return tasks.map((members) => ({ name: nameOf(members), searches: members })).sort((a, b) => lastTime(b) - lastTime(a));
}

export function lastTime(task: Task): number {
  return task.searches.at(-1)?.milliseconds ?? 0;
}

/** The words that most of its searches share, in the order of the longest one. */
function nameOf(members: readonly TaskSearch[]): string {
  const times = groupBy(members.flatMap((one) => [...new Set(splitWords(one.query))]), (word) => word);
  const longest = members.reduce((best, one) => (one.query.length > best.query.length ? one : best));
  const shared = splitWords(longest.query).filter((word) => 2 * (times.get(word)?.length ?? 0) > members.length);
  return shared.length > 0 ? shared.join(" ") : (members[0] as TaskSearch).text;
}
