/** Questions of a study as labelled fields. */

import { Told } from "../../lib/told.ts";
import type { Question } from "../studies/study.ts";
import { h } from "./dom.ts";
import { message } from "./messages.ts";

export interface Fields {
  readonly labels: readonly HTMLElement[];
  /** What was answered; an error asks for what is missing. */
  answers(): Record<string, string>;
}

export function fieldsOf(questions: readonly Question[]): Fields {
  const field = ({ answer, choices = [] }: Question) =>
    answer === "text" ? h("textarea", { rows: 2 }) : h("select", {}, h("option", { value: "" }, message("choose")), ...choices.map((choice) => h("option", {}, choice)));
  const made = questions.map((question) => [question, field(question)] as const);
  return {
    labels: made.map(([question, one]) => h("label", {}, question.text, h("br"), one)),
    answers: () => {
      const values = Object.fromEntries(made.map(([question, one]) => [question.id, one.value]));
      if (Object.values(values).some((value) => value.trim() === "")) throw new Told("answer_all");
      return values;
    },
  };
}
