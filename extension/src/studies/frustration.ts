/** The five features of chapter 7 for the last search of a task: letters of the query, letters per word, duration and actions of the task, pages per search so far. */

import type { TaskSearch } from "../apps/searches.ts";

export function frustrationFeatures(task: readonly TaskSearch[]): Record<string, number> {
  const last = task.at(-1);
  const words = last?.query.split(" ") ?? [];
  const visits = task.reduce((sum, one) => sum + one.visits.length, 0);
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  return {
    characters: last?.query.length ?? 0,
    letters_per_word: words.length > 0 ? letters / words.length : 0,
    task_seconds: (last?.time ?? 0) - (task[0]?.time ?? 0),
    task_actions: task.length + visits,
    urls: visits,
  };
}
