/** Answers as they are saved or sent: the same for both, and never a uid or a number of this installation. */

import { frustrationLabel } from "./frustration.ts";
import type { Answer } from "./installed.ts";
import type { Study } from "./study.ts";

export interface AnswersFile {
  readonly study: string;
  readonly answers: readonly object[];
}

export function answersFile(study: Study, answers: readonly Answer[]): AnswersFile {
  return { study: study.id, answers: answers.map((answer) => forResearchers(study, answer)) };
}

function forResearchers(study: Study, answer: Answer): object {
  const { step, time, about, values } = answer;
  const label = frustrationLabel(study, answer);
  return { step, time, about, values, ...(label === undefined ? {} : { label }) };
}
