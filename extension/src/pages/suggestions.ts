/** Suggestions: keep a published crowd log here, and see what others asked next. */

import { fromBase64 } from "../../lib/base64.ts";
import { Told } from "../../lib/told.ts";
import { forgetCrowdLog, keepCrowdLog, keptCrowdLog } from "../apps/crowd-log.ts";
import { suggestionsNow } from "../apps/suggest.ts";
import { noteUse } from "../apps/usage.ts";
import { ask, callThroughGate } from "./background.ts";
import { button, facts, frame, h, moment, section } from "./dom.ts";
import { message } from "./messages.ts";
import { withServers } from "./permissions.ts";
import { suggestedLines } from "./suggested.ts";

const SHOWN = 10;
void noteUse("suggestions", "opened");
const address = h("input", { type: "url", id: "release", placeholder: "https://…/collections/…" });

async function fetchLog(): Promise<void> {
  const url = address.value.trim().replace(/[#?].*$/, "").replace(/\/$/, "");
  if (!/^https?:\/\/.+\/collections\/[0-9a-f]{64}$/.test(url)) throw new Told("release_address");
  await withServers([url], message("allowed_release"), [], async () => {
    const { files } = (await callThroughGate("GET", `${url}/release`)) as { files?: string[] };
    const table = async (name: string) => (files?.includes(name) ? fromBase64(await ask<string>({ do: "download", url: `${url}/release/${name}` })) : undefined);
    await keepCrowdLog(url, { queries: await table("queries.parquet"), pairs: await table("pairs.parquet") });
  });
  await draw();
}

async function readFiles(files: FileList | null): Promise<void> {
  const named = async (name: string) => {
    const file = [...(files ?? [])].find((one) => one.name === name);
    return file ? new Uint8Array(await file.arrayBuffer()) : undefined;
  };
  await keepCrowdLog(message("from_files"), { queries: await named("queries.parquet"), pairs: await named("pairs.parquet") });
  await draw();
}

async function draw(): Promise<void> {
  const log = await keptCrowdLog();
  const files: HTMLInputElement = h("input", { type: "file", multiple: true, accept: ".parquet", id: "files", onchange: (): unknown => readFiles(files.files) });
  if (log && address.value === "" && URL.canParse(log.from)) address.value = log.from; // to fetch it again
  const next = await suggestionsNow(SHOWN);
  const lines = await suggestedLines(next);
  frame("suggestions",
    h("p", {}, message("suggestions_what")),
    section(message("suggest_next"), next.length === 0 ? h("p", { class: "soft" }, message("suggest_none")) : h("div", {}, h("ol", { id: "next" }, ...lines), h("p", { class: "soft" }, message("suggest_open")))),
    section(message("crowd_log"),
      log ? facts([[message("from"), log.from], [message("time"), moment(log.time)], [message("queries"), String(log.queries.length)], [message("pairs"), String(log.pairs.length)]]) : h("p", { class: "soft" }, message("crowd_log_none")),
      h("label", {}, message("release_link"), address), h("p", { class: "actions" }, button(message("release_fetch"), fetchLog, "main"), ...(log ? [button(message("release_forget"), async () => { await forgetCrowdLog(); await draw(); })] : [])),
      h("label", {}, message("release_files"), files)),
  );
}

void draw();
