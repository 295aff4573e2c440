/** A lab study: one task after the other, each with its questions, and the engines to search with. */

import { Told } from "../../lib/told.ts";
import { systemRandomness } from "../../lib/bytes.ts";
import { fraction } from "../../lib/choice.ts";
import { isLogging } from "../content/record.ts";
import { ENGINES } from "../engines/engine.ts";
import { type Installed, keepAnswer } from "../studies/installed.ts";
import { begun, countsOf, type LabState, labState, nextTask, saveLabState } from "../studies/lab.ts";
import { latinSquare } from "../studies/latin-square.ts";
import { noteModule } from "../studies/module-log.ts";
import type { Lab } from "../studies/study.ts";
import { button, h, section } from "./dom.ts";
import { message } from "./messages.ts";
import { fieldsOf } from "./questions.ts";

export async function lab(one: Installed, step: Lab, number: number, redraw: () => Promise<void>): Promise<HTMLElement> {
  const state = await labState(one.id, number);
  const save = async (changed: LabState, what: string): Promise<void> => {
    await saveLabState(one.id, number, changed);
    await noteModule(one.id, `step ${number + 1}: ${what}`);
    await redraw();
  };
  if (!state) return beginning(step, save);
  const task = step.tasks[state.order[state.place] ?? -1];
  if (!task) return section(message("lab_title"), h("p", { role: "status" }, message("lab_done", step.tasks.length)));
  const finish = async (after: Record<string, string>): Promise<void> => {
    const values = { ...(await countsOf(state)), ...state.before, ...after };
    await keepAnswer({ study: one.id, step: number, time: Date.now(), about: task.id, values });
    await save(nextTask(state), `task ${task.id} answered`);
  };
  const body = state.started === undefined ? before(step, state, save) : state.ended === undefined ? await during(state, save) : after(step, finish);
  return section(message("lab_task", state.place + 1, step.tasks.length), h("p", { class: "labtask" }, task.text), body);
}

type Save = (changed: LabState, what: string) => Promise<void>;

function beginning(step: Lab, save: Save): HTMLElement {
  const rows = latinSquare(step.tasks.length).length;
  const drawn = 1 + Math.floor(fraction(systemRandomness) * rows);
  const person = h("input", { type: "number", min: 1, step: 1, value: drawn, id: "person" });
  const begin = button(message("lab_begin"), () => {
    if (!person.checkValidity() || person.value === "") throw new Told("lab_person_wrong");
    return save(begun(step, Number(person.value)), "begun");
  }, "main");
  const numbered = step.order === "latin-square" ? [h("label", {}, message("lab_person"), person)] : [];
  return section(message("lab_title"), h("p", {}, message("lab_what", step.tasks.length)), ...numbered, h("p", {}, begin));
}

function before(step: Lab, state: LabState, save: Save): HTMLElement {
  const fields = fieldsOf(step.before ?? []);
  return h("div", {}, ...fields.labels, h("p", {}, button(message("lab_start"), () => save({ ...state, before: fields.answers(), started: Date.now() }, "task started"), "main")));
}

async function during(state: LabState, save: Save): Promise<HTMLElement> {
  const links = state.engines.flatMap((id) => ENGINES.filter((engine) => engine.id === id)).map(({ name, host }) => h("li", {}, h("a", { href: `https://${host}/`, target: "_blank", rel: "noreferrer" }, name)));
  const paused = (await isLogging()) ? [] : [h("p", { class: "warn" }, message("lab_paused"))];
  return h("div", {}, ...paused, h("p", {}, message("lab_engines")), h("ul", { id: "engines" }, ...links), h("p", {}, button(message("lab_end"), () => save({ ...state, ended: Date.now() }, "task ended"), "main")));
}

function after(step: Lab, finish: (values: Record<string, string>) => Promise<void>): HTMLElement {
  const fields = fieldsOf(step.after ?? []);
  return h("div", {}, ...fields.labels, h("p", {}, button(message("save_answer"), () => finish(fields.answers()), "main")));
}
