/** Developer mode: a study file of one's own without a signature, and what studies did. Nothing of it leaves this computer. */

import { type Installed, installed, removeStudy, UNSIGNED } from "../studies/installed.ts";
import { developerMode, moduleLog, setDeveloperMode } from "../studies/module-log.ts";
import { readStudyFile, type Study } from "../studies/study.ts";
import { ask } from "./background.ts";
import { button, frame, h, moment, section, table } from "./dom.ts";
import { message } from "./messages.ts";
import { studyCard } from "./study-card.ts";

const SHOWN = 100;
let tried: Study | undefined; // the file chosen last

async function draw(): Promise<void> {
  const on = await developerMode();
  const mine = await installed();
  const unsigned = mine.filter(({ signing }) => signing === UNSIGNED);
  frame("developer",
    h("p", {}, message("developer_what")),
    h("p", {}, button(message(on ? "developer_off" : "developer_on"), () => turn(!on, unsigned), on ? "" : "main")),
    section(message("page_simulator"), h("p", {}, message("developer_simulator")), h("a", { href: "simulator.html" }, message("page_simulator"))),
    ...(on ? [fileSection(), ...cards(mine, unsigned), await log()] : []),
  );
}

/** With the mode its studies go. */
async function turn(on: boolean, unsigned: readonly Installed[]): Promise<void> {
  if (!on) for (const { id } of unsigned) await removeStudy(id);
  await setDeveloperMode(on);
  await ask({ do: "badge" });
  await draw();
}

function fileSection(): HTMLElement {
  const file: HTMLInputElement = h("input", { type: "file", accept: ".json", id: "unsigned", onchange: async (): Promise<void> => {
    tried = undefined;
    tried = readStudyFile((await file.files?.[0]?.text()) ?? "");
    await draw();
  } });
  return section(message("developer_study"), h("p", {}, message("developer_study_what")), h("label", {}, message("developer_file"), file));
}

function cards(mine: readonly Installed[], unsigned: readonly Installed[]): HTMLElement[] {
  const part = (study: Study) => mine.find(({ id }) => id === study.id);
  const others = unsigned.map(({ study }) => study).filter(({ id }) => id !== tried?.id);
  return [...(tried ? [tried] : []), ...others].map((study) => studyCard(study, UNSIGNED, part(study), draw));
}

async function log(): Promise<HTMLElement> {
  const lines = (await moduleLog()).slice(-SHOWN).reverse();
  const rows = lines.map(({ time, study, what }) => [h("time", {}, moment(time)), study, what]);
  return section(message("module_log"), h("p", {}, button(message("module_log_again"), draw)), lines.length === 0 ? h("p", { class: "soft" }, message("module_log_none")) : table([message("time"), message("page_study"), message("what")], rows, message("module_log_newest", SHOWN)));
}

void draw();
