/** How often she uses an app; counted only while a study that she takes part in asks for it. */

import { asksNow, installed, stateOf } from "../studies/installed.ts";
import { done } from "../store/request.ts";
import { transact } from "../store/database.ts";
import { readState } from "../store/state.ts";

export type App = "assistant" | "suggestions";
export type Uses = Readonly<Record<string, number>>;

const name = (study: string, app: App): string => stateOf(study, `used ${app}`);

export function usesOf(study: string, app: App): Promise<Uses> {
  return readState<Uses>(name(study, app), {});
}

export async function noteUse(app: App, what: string): Promise<void> {
  const asking = (await installed()).filter((one) => asksNow(one) && one.study.steps.some((step) => step.do === "questionnaire" && step.features === app));
  if (asking.length === 0) return;
  await transact(["state"], "readwrite", async (store) => {
    for (const { id } of asking) {
      const before = ((await done(store("state").get(name(id, app)))) as Uses | undefined) ?? {};
      store("state").put({ ...before, [what]: (before[what] ?? 0) + 1 }, name(id, app));
    }
  });
}
