/** The five features of chapter 7 for the last search of a task (letters of the query, letters per word, duration, actions and pages of the task), and what she said of it as a number: `crowdlog frustration` reads both. */

import type { TaskSearch } from "../apps/searches.ts";
import type { Answer } from "./installed.ts";
import type { Study } from "./study.ts";

export function frustrationFeatures(task: readonly TaskSearch[]): Record<string, number> {
  const last = task.at(-1);
  const words = last?.query.split(" ") ?? [];
  const visits = task.reduce((sum, one) => sum + one.visits.length, 0);
  const letters = words.reduce((sum, word) => sum + lengthOf(word), 0);
  return {
    characters: lengthOf(last?.query ?? ""),
    letters_per_word: words.length > 0 ? letters / words.length : 0,
    task_seconds: (last?.time ?? 0) - (task[0]?.time ?? 0),
    task_actions: task.length + visits,
    urls: visits,
  };
}

/** Of code points, as Python counts them. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** Which of the study's choices she took, counted from 1, "not frustrated": of the first question with choices of a step that asks for frustration. */
export function frustrationLabel(study: Study, { step, values }: Answer): number | undefined {
  const asked = study.steps[step];
  if (asked?.do !== "questionnaire" || asked.features !== "frustration") return undefined;
  const question = asked.questions.find(({ choices }) => choices !== undefined);
  const place = question?.choices?.indexOf(String(values[question.id])) ?? -1;
  return place < 0 ? undefined : place + 1;
}
