/** Studies as data: signed files that say what is asked and when. No code comes from outside. */

import { Told } from "../../lib/told.ts";
import schema from "../../../src/crowdlog/crowd/studies/study.schema.json";
import { fromHex, utf8 } from "../../lib/bytes.ts";
import { signed } from "../../lib/signing.ts";
import { canonical } from "../../lib/terms.ts";
import { type Schema, wrongIn } from "./schema.ts";

export const PERMISSIONS = ["behaviour", "aggregate", "interface", "storage", "privacy", "server"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly answer: "choice" | "text";
  readonly choices?: readonly string[];
}

export interface Questionnaire {
  readonly do: "questionnaire";
  readonly when: "once" | "search" | "task-end";
  readonly most_per_day: number;
  /** Numbers kept with an answer: of the task that ended, or of how often an app was used. */
  readonly features?: "frustration" | "assistant" | "suggestions";
  readonly questions: readonly Question[];
}

export interface Labelling {
  readonly do: "label-pages" | "label-suggestions";
  readonly most: number;
  readonly question: string;
  readonly choices: readonly string[];
}

export interface Joining {
  readonly do: "join-collection";
  readonly what: string;
  /** The id of the collection, and feature vectors of her search tasks to mine for it in place of queries. */
  readonly collection?: string;
  readonly vectors?: "bin1" | "bin2";
}

/** Tasks to be done one after the other, with questions before and after each. */
export interface Lab {
  readonly do: "lab";
  readonly order: "as-written" | "random" | "latin-square";
  readonly tasks: readonly { readonly id: string; readonly text: string }[];
  readonly engines: readonly string[];
  readonly before?: readonly Question[];
  readonly after?: readonly Question[];
}

export type Step = Questionnaire | Labelling | { readonly do: "group-tasks" } | { readonly do: "coverage"; readonly most_k: number } | Joining | Lab;

export interface Study {
  readonly format: "crowdlog-study";
  readonly version: 1;
  readonly id: string;
  readonly title: string;
  readonly institution: string;
  readonly contact: string;
  readonly ethics: string;
  readonly purpose: string;
  readonly consent: string;
  readonly from: string;
  readonly until: string;
  readonly permissions: readonly Permission[];
  readonly steps: readonly Step[];
  readonly upload: { readonly how: "nothing" } | { readonly how: "clear"; readonly url: string; readonly warning: string };
}

/** What each step needs of the API's six groups (Feild 2013, section 8.1). */
const NEEDED: Readonly<Record<Step["do"], readonly Permission[]>> = {
  questionnaire: ["behaviour", "interface", "storage"],
  "label-pages": ["behaviour", "interface", "storage"],
  "label-suggestions": ["behaviour", "aggregate", "interface", "storage"],
  "group-tasks": ["behaviour", "interface", "storage"],
  coverage: ["behaviour", "interface"],
  "join-collection": ["behaviour", "aggregate", "privacy"],
  lab: ["behaviour", "interface", "storage"],
};

/** Questions that wait for nothing and keep no numbers look at nothing. */
function needs(step: Step): readonly Permission[] {
  const looks = step.do !== "questionnaire" || step.when !== "once" || step.features !== undefined;
  return looks ? NEEDED[step.do] : ["interface", "storage"];
}

function questionsOf(step: Step): readonly Question[] {
  if (step.do === "lab") return [...(step.before ?? []), ...(step.after ?? [])];
  return step.do === "questionnaire" ? step.questions : [];
}

function checkStep(step: Step): void {
  const questions = questionsOf(step);
  const open = questions.find((question) => (question.answer === "choice") !== (question.choices !== undefined));
  if (open) throw new Told("told_study_choices", open.id);
  const named = { told_study_questions_twice: questions, told_study_tasks_twice: step.do === "lab" ? step.tasks : [] };
  for (const [what, all] of Object.entries(named)) {
    const twice = all.find(({ id }, i) => all.slice(0, i).some((other) => other.id === id));
    if (twice) throw new Told(what, twice.id);
  }
  if (step.do === "lab" && step.order === "latin-square" && step.tasks.length < 2) throw new Told("told_study_square");
}

/** The study, or an error that says what is wrong with it; the same rules as `crowdlog study check`. */
export function readStudy(value: unknown): Study {
  const place = wrongIn(value, schema as Schema);
  if (place !== undefined) throw new Told("told_study_wrong", place);
  const study = value as Study;
  if (study.steps.some((step) => step.do === "join-collection" && step.vectors !== undefined && step.collection === undefined)) throw new Told("told_study_vectors");
  const needed = new Set([...study.steps.flatMap(needs), ...(study.upload.how === "clear" ? (["server"] as const) : [])]);
  const missing = [...needed].find((name) => !study.permissions.includes(name));
  if (missing !== undefined) throw new Told("told_study_permission", missing);
  const extra = study.permissions.find((name) => !needed.has(name));
  if (extra !== undefined) throw new Told("told_study_extra", extra);
  if (study.from > study.until) throw new Told("told_study_dates");
  study.steps.forEach(checkStep);
  return study;
}

/** Whether a later version of this file's rules is needed to read it: another version of the format, or a step of a kind not known here. */
function isTooNew(study: unknown): boolean {
  const { format, version, steps } = (study ?? {}) as { format?: unknown; version?: unknown; steps?: unknown };
  if (format !== "crowdlog-study" || !Number.isInteger(version)) return false;
  const kinds = Array.isArray(steps) ? steps.map((step) => (step as { do?: unknown } | null)?.do) : [];
  return (version as number) > 1 || kinds.some((kind) => typeof kind === "string" && !Object.hasOwn(NEEDED, kind));
}

/** A study of developer mode, without an envelope. */
export function readStudyFile(text: string): Study {
  return readStudy(objectOf(text));
}

/** A study in its signed envelope, and who signed it. */
export function readSignedStudy(text: string): { study: Study; signing: string } {
  const { study, signing, signature } = signedEnvelope(text, "study");
  if (!signed(fromHex(signing), "study", utf8(canonical(study as never)), fromHex(signature))) throw new Told("told_study_signature");
  if (isTooNew(study)) throw new Told("told_study_newer");
  return { study: readStudy(study), signing };
}

export function signedEnvelope(text: string, what: "study" | "catalogue"): { study: unknown; signing: string; signature: string } {
  const { [what]: study, signing, signature } = objectOf(text);
  if (typeof signing !== "string" || typeof signature !== "string" || study === undefined) throw new Told(what === "study" ? "told_no_signed_study" : "told_no_signed_catalogue");
  return { study, signing, signature };
}

/** The fields of a JSON object; of anything else none. */
function objectOf(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as Record<string, unknown>) };
  } catch {
    return {};
  }
}

export function isRunning(study: Study, today = dayNow()): boolean {
  return study.from <= today && !isOver(study, today);
}

export function isOver(study: Study, today = dayNow()): boolean {
  return study.until < today;
}

function dayNow(): string {
  return new Date().toISOString().slice(0, 10);
}
