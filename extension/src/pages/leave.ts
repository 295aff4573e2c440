/** Leaving: every collection, the whole log, and then the extension itself. */

import { memberships } from "../store/crowd.ts";
import { closeDatabase, emptyDatabase } from "../store/database.ts";
import { countEvents } from "../store/events.ts";
import { button, confirmed, frame, h, section } from "./dom.ts";
import { message } from "./messages.ts";
import { dropConsents } from "../store/consents.ts";
import { giveBack } from "../store/hosts.ts";

async function everythingGone(): Promise<void> {
  if (!(await confirmed(message("leave_all_sure"), message("leave_all")))) return;
  await chrome.storage.local.clear(); // from here on nothing is logged
  await emptyDatabase();
  await chrome.storage.session.clear();
  for (const origin of await grantedLater()) await giveBack([origin]);
  await dropConsents(new Set());
  await closeDatabase();
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase("crowdlog");
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });
  await draw(true);
}

/** Hosts that she was asked for. Those of the five engines came with the installation: Firefox would take them back too, and nothing would
 *  be logged if she began anew. */
async function grantedLater(): Promise<string[]> {
  const hostOf = (pattern: string): string | undefined => pattern.split("/")[2];
  const engines = (chrome.runtime.getManifest().content_scripts ?? []).flatMap(({ matches = [] }) => matches.map(hostOf));
  const { origins = [] } = await chrome.permissions.getAll();
  return origins.filter((origin) => !engines.includes(hostOf(origin)));
}

/** `gone`: she has just deleted everything. */
async function draw(gone: boolean): Promise<void> {
  const events = await countEvents();
  const joined = (await memberships()).filter((member) => !member.left).length;
  frame("leave",
    h("p", {}, message("leave_what")),
    section(message("leave_all"), h("p", {}, message("leave_all_what", events, joined)), ...(gone ? [h("p", { role: "status" }, h("strong", {}, message("leave_done")))] : []), button(message("leave_all"), everythingGone, "danger")),
    section(message("leave_uninstall"), h("p", {}, message("leave_uninstall_what")), button(message("leave_uninstall"), () => chrome.management.uninstallSelf({ showConfirmDialog: true }), "danger")),
  );
}

void draw(false);
