/** What she wants to tell: written, seen and sent by herself. There is no server of ours; it goes to an operator who asks for it, or into a file. */

import { Told } from "../../lib/told.ts";
import { memberships } from "../store/crowd.ts";
import { forgetErrors, type KeptError, keptErrors } from "../store/errors.ts";
import { catalogues } from "../studies/catalogue.ts";
import { installed } from "../studies/installed.ts";
import { callThroughGate } from "./background.ts";
import { button, download, facts, frame, h, section } from "./dom.ts";
import { message } from "./messages.ts";
import { withServers } from "./permissions.ts";

const text = h("textarea", { id: "feedback", rows: 12, maxlength: 10_000 });
const state = h("p", { role: "status" });

/** Versions, and where pages failed; never what was searched for (store/errors.ts). */
function details(errors: readonly KeptError[]): string {
  const browser = /(?:Firefox|Chrome)\/\d+/.exec(navigator.userAgent)?.[0] ?? "";
  const lines = errors.map(({ time, page, what }) => `${new Date(time).toISOString().slice(0, 10)} ${page}: ${what}`);
  return [`CrowdLog ${chrome.runtime.getManifest().version}, ${browser}`, ...lines].join("\n");
}

function written(): string {
  if (text.value.trim() === "") throw new Told("feedback_empty");
  return text.value;
}

async function send(address: string): Promise<void> {
  const feedback = written();
  const { host } = new URL(address);
  await withServers([address], message("allowed_feedback"), ["technicalAndInteraction"], () => callThroughGate("POST", address, { feedback }));
  state.textContent = message("feedback_sent", host);
}

async function draw(): Promise<void> {
  const errors = await keptErrors();
  const addresses = (await catalogues()).flatMap(({ feedback }) => (feedback === undefined ? [] : [feedback]));
  const contacts = [...(await installed()).map(({ study }) => [study.title, study.contact] as const), ...(await memberships()).filter(({ left }) => !left).map(({ manifest }) => [manifest.title, manifest.consent.contact] as const)];
  const add = button(message("feedback_details"), () => {
    text.value = [text.value.trim(), details(errors)].filter((part) => part !== "").join("\n\n");
  });
  const forget = button(message("feedback_forget", errors.length), async () => { await forgetErrors(); await draw(); });
  frame("feedback",
    h("p", {}, message("feedback_what")),
    section(message("feedback_write"), h("label", {}, message("feedback_text"), text), h("p", { class: "soft" }, message("feedback_details_what")), h("p", { class: "actions" }, add, ...(errors.length > 0 ? [forget] : []))),
    section(message("feedback_where"), h("p", {}, message("feedback_exact")),
      h("p", { class: "actions" }, ...addresses.map((address) => button(message("feedback_send", new URL(address).host), () => send(address), "main")), button(message("feedback_save"), () => download("crowdlog-feedback.txt", written()))),
      ...(addresses.length === 0 ? [h("p", { class: "soft" }, message("feedback_none"))] : []), state),
    ...(contacts.length > 0 ? [section(message("feedback_contacts"), facts(contacts))] : []),
  );
}

void draw();
