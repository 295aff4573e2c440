/** Sends each report at its own random moment within the upload window, whenever the background runs. */

import { systemRandomness } from "../../lib/bytes.ts";
import { toBase64 } from "../../lib/base64.ts";
import { Told } from "../../lib/told.ts";
import { Manifest } from "../crowd/manifest.ts";
import { dueAnew, leaving, momentOf, overdue } from "../crowd/moments.ts";
import { isWhole } from "../crowd/slots.ts";
import { type UploadWindow, uploadWindow } from "../crowd/participate.ts";
import { fraction } from "../../lib/choice.ts";
import { beginSending, forgetMissed, type Item, markRefused, markSent, type Membership, memberships, noteProblem, noteWindow, outbox, reschedule, setAside, toSend } from "../store/crowd.ts";
import { consentsOf, holdsConsents } from "../store/consents.ts";
import { giveBackUnneeded } from "../store/hosts.ts";
import { call } from "./gate.ts";

export const ALARM = "send";
const MINUTES = 1;
const POLL = 10; // minutes between two questions whether uploads are taken yet, on average

export async function schedule(): Promise<void> {
  const waiting = (await memberships()).some((member) => !member.left && member.prepared && member.credentials);
  if (!waiting) await chrome.alarms.clear(ALARM);
  // an alarm that is set stays: a background that starts often would push it away each time
  else if (!(await chrome.alarms.get(ALARM))) await chrome.alarms.create(ALARM, { periodInMinutes: MINUTES, delayInMinutes: MINUTES });
}

let working: Promise<number> = Promise.resolve(0);

/** Sends what is due in every collection; calls wait for each other. Returns how many reports left. `asked`: by her, not by the clock. */
export function sendAllDue(asked: boolean): Promise<number> {
  working = working.catch(() => 0).then(async () => {
    let sent = 0;
    for (const member of await memberships()) {
      if (!member.left && member.prepared && member.credentials && (asked || (await isWorthAsking(member)))) sent += await sendDue(member);
    }
    await schedule();
    await giveBackUnneeded();
    return sent;
  });
  return working;
}

/** A question each minute would tell the first mix when her browser runs: it is asked when something is due, before that seldom and at random. */
async function isWorthAsking({ id, window }: Membership): Promise<boolean> {
  if (!window) return fraction(systemRandomness) < 1 / POLL;
  const now = Date.now() / 1000;
  return now > window.ends || (await toSend(id)).some((item) => momentOf(item, window) <= now);
}

async function sendDue(member: Membership): Promise<number> {
  let sent = 0;
  try {
    const manifest = Manifest.fromJson(member.manifest);
    if (!(await holdsConsents(consentsOf(member.manifest)))) throw new Told("told_consent_back");
    const window = await uploadWindow(manifest, call);
    if (!window) return 0;
    await noteWindow(member.id, window);
    const now = Date.now() / 1000;
    if (now > window.ends) {
      const missed = await forgetMissed(member.id);
      await noteProblem(member.id, new Told("told_missed", missed));
      return 0;
    }
    await spreadOverdue(await toSend(member.id), window, now);
    let refused = 0;
    for (const { number } of leaving(await toSend(member.id), window, now)) {
      const item = await beginSending(number); // she may have struck it out, or left, while others were sent
      if (item === undefined) continue;
      if (!isWhole(manifest.collection, item.submission)) {
        await setAside(number);
        continue;
      }
      const answer = await call("POST", `${manifest.firstMix.url}/collections/${member.id}/envelopes`, { submissions: [toBase64(item.submission)] });
      if (wasTaken(answer)) sent++;
      else refused++;
      await (wasTaken(answer) ? markSent(item) : markRefused(item));
    }
    const aside = (await outbox(member.id)).filter(({ damaged }) => damaged).length;
    if (refused > 0) await noteProblem(member.id, new Told("told_refused", refused));
    else if (member.problem?.sentence !== "told_refused") await noteProblem(member.id, aside > 0 ? new Told("told_damaged", aside) : undefined); // that one stays to be read
  } catch (error) {
    await noteProblem(member.id, error);
  }
  return sent;
}

/** Whether the mix has a report, now or from before; false: it will never take it. */
function wasTaken({ accepted, duplicates, rejected }: Record<string, unknown>): boolean {
  const counted = [accepted, duplicates, rejected].join();
  if (!["1,0,0", "0,1,0", "0,0,1"].includes(counted)) throw new Told("told_unreadable");
  return rejected !== 1;
}

async function spreadOverdue(items: readonly Item[], window: UploadWindow, now: number): Promise<void> {
  const late = overdue(items, window, now);
  if (late.length > 0) await reschedule(late.map(({ number }) => ({ number, due: dueAnew(fraction(systemRandomness), window, now) })));
}
