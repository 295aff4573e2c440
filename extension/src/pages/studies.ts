/** Apps and studies: what there is, what each asks for, joining and leaving. */

import { Told } from "../../lib/told.ts";
import { catalogues, forgetCatalogue, keepCatalogue } from "../studies/catalogue.ts";
import { installed } from "../studies/installed.ts";
import { SHIPPED } from "../studies/shipped.ts";
import { readSignedStudy, type Study } from "../studies/study.ts";
import { callThroughGate } from "./background.ts";
import { button, frame, h, moment, section } from "./dom.ts";
import { message } from "./messages.ts";
import { withServers } from "./permissions.ts";
import { studyCard } from "./study-card.ts";

const address = h("input", { type: "url", id: "catalogue", placeholder: "https://…/catalogue.json" });
const file = h("input", { type: "file", accept: ".json", id: "study-file", onchange: () => addFile() });

async function addFile(): Promise<void> {
  const { study, signing } = readSignedStudy(await (file.files?.[0]?.text() ?? Promise.resolve("{}")));
  const mine = (await installed()).find(({ id }) => id === study.id);
  place.replaceChildren(studyCard(study, signing, mine, drawAnew));
}

async function readCatalogue(url: string): Promise<void> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new Told("catalogue_wrong");
  await withServers([url], message("allowed_catalogue"), [], async () => keepCatalogue(url, JSON.stringify(await callThroughGate("GET", url))));
  await draw();
}

const place = h("div", { id: "offered" });

/** What was chosen as a file is in the list then, or was not wanted. */
async function drawAnew(): Promise<void> {
  place.replaceChildren();
  await draw();
}

async function draw(): Promise<void> {
  const mine = await installed();
  const known = await catalogues();
  const part = (study: Study) => mine.find(({ id }) => id === study.id);
  const listed = [...SHIPPED.map((study) => [study, ""] as const), ...known.flatMap((one) => one.studies.map(({ study, signing }) => [study, signing] as const))];
  const byFile = mine.filter(({ id, signing }) => !listed.some(([study, key]) => study.id === id && key === signing)).map(({ study, signing }) => [study, signing] as const);
  const offered = [...listed, ...byFile];
  frame("studies",
    h("p", {}, message("studies_what")),
    section(message("apps"), h("ul", {}, ...["assistant", "suggestions"].map((page) => h("li", {}, h("a", { href: `${page}.html` }, message(`page_${page}`)), `: ${message(`${page}_what`)}`)))),
    place,
    ...offered.map(([study, signing]) => studyCard(study, signing, part(study), draw)),
    section(message("catalogues"), h("ul", { class: "plain" }, ...known.map((one) => h("li", {}, h("span", { class: "grow" }, one.url, h("br"), h("small", {}, `${message("signed_by", one.signing.slice(0, 16))} · ${moment(one.time)}`), ...(one.newer ? [h("br"), message("catalogue_newer", one.newer)] : [])), button(message("catalogue_again"), () => readCatalogue(one.url), "small"), button(message("delete"), async () => { await forgetCatalogue(one.url); await draw(); }, "small")))),
      h("label", {}, message("catalogue_address"), address), h("p", {}, button(message("catalogue_add"), () => readCatalogue(address.value.trim()))), h("label", {}, message("study_file"), file)),
  );
}

void draw();
