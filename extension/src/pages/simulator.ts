/** For developers of studies: replays a log (JSON Lines as the export writes it, or AOL's layout as `crowdlog synth` does) through the extension's own way of logging. */

import { JOURNAL } from "../content/record.ts";
import { newUid } from "../log/events.ts";
import { deleteReplayed } from "../store/events.ts";
import { readRows } from "../log/read-rows.ts";
import { ask } from "./background.ts";
import { button, confirmed, frame, h, section } from "./dom.ts";
import { message } from "./messages.ts";

const PORTION = 200; // events written at once
const text = h("textarea", { id: "rows", rows: 10, spellcheck: "false", placeholder: '{"user": "1", "query": "…", "time": 1700000000, "rank": 1, "url": "https://…"}' });
const state = h("p", { id: "state", role: "status" });
const file = h("input", { type: "file", accept: ".jsonl,.json,.txt,.tsv", id: "file", onchange: async () => (text.value = (await file.files?.[0]?.text()) ?? "") }) as HTMLInputElement;

/** Each row is a search, and a click if it has a URL; rows of one query and time are one search. */
async function replay(): Promise<void> {
  const rows = readRows(text.value);
  const mark = newUid(); // by it what was written is known again, and nothing else
  const searches = new Map<string, string>();
  let events: Record<string, unknown> = {};
  let number = 0;
  const write = async () => {
    await chrome.storage.local.set(events);
    events = {};
    await ask({ do: "drain" });
    state.textContent = message("simulator_done", number);
  };
  for (const { query, time, rank, url } of rows) {
    const name = `${time} ${query}`;
    const page = `https://engine.example/search?q=${encodeURIComponent(query)}#${time}`;
    const uid = searches.get(name) ?? newUid();
    if (!searches.has(name)) {
      searches.set(name, uid);
      events[JOURNAL + uid] = { uid, replay: mark, time: time * 1000, kind: "search", engine: "simulator", query, start: 1, url: page, results: [] };
      number++;
    }
    if (url !== undefined && url !== "") {
      const click = newUid();
      events[JOURNAL + click] = { uid: click, replay: mark, time: time * 1000 + 1, kind: "result-click", engine: "simulator", query, url: page, search: uid, rank: rank ?? 0, target: url };
      number++;
    }
    if (Object.keys(events).length >= PORTION) await write();
  }
  await write();
  state.dataset["done"] = String(number);
}

async function clean(): Promise<void> {
  if (!(await confirmed(message("simulator_clean_sure"), message("delete")))) return;
  await ask({ do: "drain" }); // what still waits for the log goes, too
  const deleted = await deleteReplayed();
  await ask({ do: "badge" });
  state.textContent = message("history_deleted", deleted);
}

frame("simulator").append(h("p", {}, message("simulator_what")), section(message("simulator_log"), h("label", {}, message("simulator_file"), file), h("label", {}, message("simulator_rows"), text), h("p", { class: "actions" }, button(message("simulator_run"), replay, "main"), button(message("simulator_clean"), clean, "danger")), state));
