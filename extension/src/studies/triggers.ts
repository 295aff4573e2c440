/** Questions at events: after a search, or when the next search begins another task. Asked at most so often a day as the study says. */

import { readTaskModel, pairFeatures, sameTask } from "../../lib/tasks.ts";
import { type TaskSearch, taskSearches } from "../apps/searches.ts";
import { isSearch, type Search } from "../log/events.ts";
import { SESSION_SECONDS } from "../log/sessions.ts";
import { transact } from "../store/database.ts";
import { askedToday, dayOf, inLog } from "../store/orphans.ts";
import { done } from "../store/request.ts";
import { eventsBy, eventsOf } from "../store/events.ts";
import { readState } from "../store/state.ts";
import { frustrationFeatures } from "./frustration.ts";
import { ASKED, asksNow, type Installed, installed, standing, UNASKED, WAITING, type Waiting, waitingQuestions } from "./installed.ts";
import { noteModule } from "./module-log.ts";
import type { Questionnaire } from "./study.ts";

const SAME_TASK = 0.5;
const DAY = 24 * 3600 * 1000;
const KEPT = 50; // questions that wait at most, of studies that ask now

interface Asking {
  readonly one: Installed;
  readonly step: number;
  readonly asked: Questionnaire;
}

/** How many questions wait for her. */
export async function badge(): Promise<number> {
  return (await waitingQuestions()).length;
}

/** Looks whether searches that studies have not been told of call for a question; returns whether one was added. They count as told in the
 *  transaction that adds the questions: a stop of the background before it loses none, and one after it asks none twice. */
export async function tellStudies(): Promise<boolean> {
  const told = await readState<string[]>(UNASKED, []);
  if (told.length === 0) return false;
  const searches = (await eventsBy(told)).filter(isSearch);
  const asking = (await installed()).filter(asksNow).flatMap((one): Asking[] => one.study.steps.flatMap((asked, step) => (asked.do === "questionnaire" ? [{ one, step, asked }] : [])));
  const ended = asking.some(({ asked }) => asked.when === "task-end") ? await endedTasks(searches) : [];
  return add(asking.flatMap((one) => questionsOf(one, searches, ended)), asking, told);
}

function questionsOf({ one, step, asked }: Asking, searches: readonly Search[], ended: readonly (readonly TaskSearch[])[]): Waiting[] {
  const name = (about: string) => ({ name: `${one.id} ${step} ${about}`, study: one.id, step, time: Date.now(), about });
  if (asked.when === "search") return searches.map((search) => ({ ...name(search.uid), text: search.query }));
  if (asked.when !== "task-end") return [];
  return ended.map((task) => {
    const last = task.at(-1) as TaskSearch;
    const question = { ...name(last.uid), text: last.text };
    return asked.features !== "frustration" ? question : { ...question, features: frustrationFeatures(task) };
  });
}

/** For each of these searches, which are in order of time, that begins another task: the searches of the task before it. Several come at once
 *  when the background was stopped while she searched. */
async function endedTasks(searches: readonly Search[]): Promise<TaskSearch[][]> {
  const first = searches[0];
  if (!first) return [];
  const all = taskSearches(await eventsOf(["search", "result-click"], first.time - DAY));
  const model = readTaskModel(await (await fetch(chrome.runtime.getURL("task-model.json"))).text());
  const together = (a: TaskSearch, b: TaskSearch): boolean => b.time - a.time <= SESSION_SECONDS && sameTask(model, pairFeatures(a, b, 0)) >= SAME_TASK;
  const fresh = new Set(searches.map(({ uid }) => uid));
  const ended: TaskSearch[][] = [];
  let task: TaskSearch[] = [];
  for (const search of all) {
    const last = task.at(-1);
    if (last && !together(last, search)) {
      if (fresh.has(search.uid)) ended.push(task);
      task = [];
    }
    task.push(search);
  }
  return ended;
}

/** Adds what was not asked yet and is within the study's limit of a day; `told`: the searches that this is about. */
async function add(questions: readonly Waiting[], asking: readonly Asking[], told: readonly string[]): Promise<boolean> {
  const notes: [study: string, what: string][] = [];
  const anything = await transact(["events", "state", "studies"], "readwrite", async (store) => {
    const { waiting, asking: now } = await standing(store);
    const counts = await askedToday(store("state"));
    let added = false;
    for (const question of questions) {
      const place = `${question.study} ${question.step}`;
      const most = asking.find(({ one, step }) => one.id === question.study && step === question.step)?.asked.most_per_day ?? 0;
      const today = counts[place] ?? [];
      if (!now.has(question.study)) continue; // she left or paused it meanwhile
      if (waiting.some(({ name }) => name === question.name)) continue;
      if (!(await inLog(store("events"), [question.about]))) continue; // deleted meanwhile
      const wait = waiting.filter(({ study }) => now.has(study)).length;
      if (today.length >= most || wait >= KEPT) {
        notes.push([question.study, `step ${question.step + 1}: not asked, ${today.length} of ${most} today, ${wait} of ${KEPT} wait`]);
        continue;
      }
      notes.push([question.study, `step ${question.step + 1}: asked, ${today.length + 1} of ${most} today`]);
      waiting.push(question);
      counts[place] = [...today, dayOf(question.time)];
      added = true;
    }
    if (added) store("state").put(waiting, WAITING);
    store("state").put(counts, ASKED);
    const unasked = ((await done(store("state").get(UNASKED))) as string[] | undefined) ?? [];
    store("state").put(unasked.filter((uid) => !told.includes(uid)), UNASKED);
    return added;
  });
  for (const [study, what] of notes) await noteModule(study, what);
  return anything;
}
