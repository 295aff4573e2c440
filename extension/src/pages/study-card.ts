/** A study as it is offered: who asks, what for, what it needs; taking part, a new version, a pause, leaving. */

import { canonical } from "../../lib/terms.ts";
import { type Installed, removeStudy, saveStudy, UNSIGNED } from "../studies/installed.ts";
import { noteModule } from "../studies/module-log.ts";
import { isRunning, PERMISSIONS, type Study } from "../studies/study.ts";
import { ask } from "./background.ts";
import { button, confirmed, facts, h, section } from "./dom.ts";
import { message } from "./messages.ts";

type Redraw = () => Promise<void>;

/** `mine`: her part in a study of this id, if she takes part. */
export function studyCard(study: Study, signing: string, mine: Installed | undefined, redraw: Redraw): HTMLElement {
  const wanted = h("ul", { class: "permissions" }, ...PERMISSIONS.filter((name) => study.permissions.includes(name)).map((name) => h("li", {}, h("strong", {}, message(`group_${name}`)), `: ${message(`group_${name}_what`)}`)));
  const clear = study.upload.how === "clear" ? h("p", { class: "warn loud" }, message("study_clear", study.upload.url)) : undefined;
  const signed = signing === "" ? message("signed_shipped") : signing === UNSIGNED ? message("signed_not") : message("signed_by", signing.slice(0, 16));
  const described = facts([[message("terms_institution"), study.institution], [message("terms_contact"), study.contact], [message("ethics"), study.ethics], [message("terms_dates"), `${study.from} – ${study.until}`], [message("signature"), signed]]);
  const made = section(study.title, h("p", {}, study.purpose), described, h("h3", {}, message("study_asks")), wanted, clear, h("p", { class: "actions" }, ...actions(study, signing, mine, redraw)));
  made.dataset["study"] = study.id;
  return made;
}

function actions(study: Study, signing: string, mine: Installed | undefined, redraw: Redraw): (HTMLElement | string)[] {
  const agree = async (kept: Partial<Installed>): Promise<void> => {
    if (!(await confirmed(study.consent, message("study_agree"), "main"))) return;
    await saveStudy({ ...kept, id: study.id, study, signing, agreed: Date.now() });
    await noteModule(study.id, "agreed");
    await redraw();
  };
  if (!mine) return isRunning(study) ? [button(message("study_join"), () => agree({}), "main")] : [h("span", { class: "soft" }, message("study_not_now"))];
  if (mine.signing !== signing) return [h("span", { class: "soft" }, message("study_other"))];
  const changed = canonical(mine.study as never) !== canonical(study as never);
  return [
    h("a", { href: `study.html#${study.id}` }, message("study_open")),
    ...(changed ? [button(message("study_update"), () => agree(mine), "main")] : []),
    button(message(mine.paused ? "study_resume" : "study_pause"), async () => {
      await saveStudy({ ...mine, paused: !mine.paused });
      await ask({ do: "badge" });
      await noteModule(study.id, mine.paused ? "resumed" : "paused");
      await redraw();
    }),
    button(message("study_leave"), async () => {
      if (!(await confirmed(message("study_leave_sure"), message("study_leave")))) return;
      await removeStudy(study.id);
      await noteModule(study.id, "left");
      await ask({ do: "badge" });
      await redraw();
    }, "danger"),
  ];
}
