/** Collections: join by link, see every report before it leaves, strike out, leave. */

import { Told } from "../../lib/told.ts";
import { toHex } from "../../lib/bytes.ts";
import { type Link, parseLink } from "../crowd/link.ts";
import type { ManifestJson } from "../crowd/manifest.ts";
import type { Chosen, Sample } from "../crowd/sample.ts";
import { mayBeOne } from "../crowd/separate-parties.ts";
import { termRows } from "../crowd/term-rows.ts";
import { forgetLeft, type Item, leave, type Membership, memberships, outbox, stateOf } from "../store/crowd.ts";
import { consentsOf } from "../store/consents.ts";
import { giveBackUnneeded } from "../store/hosts.ts";
import { vectorsFor } from "../studies/installed.ts";
import { ask } from "./background.ts";
import { behindHash } from "./behind-hash.ts";
import { button, confirmed, facts, fill, frame, goOnIn, h, moment, section } from "./dom.ts";
import { message, sentenceOf } from "./messages.ts";
import { allowAgain, stillAllowed, withServers } from "./permissions.ts";
import { sealClient } from "./seal-client.ts";

const bar = h("progress", { max: 1, value: 0, "aria-label": message("sealing") });
const worker = sealClient((done, of) => {
  bar.max = of;
  bar.value = done;
});
const place = h("div", { id: "collection" });
const address = h("input", { type: "url", id: "link", placeholder: "https://…/collections/…#…", value: behindHash() });

async function draw(): Promise<void> {
  const members = await memberships();
  const allowed = await Promise.all(members.map(({ manifest }) => stillAllowed(manifest)));
  frame("collections",
    h("p", {}, message("collections_what")),
    section(message("join"), h("label", {}, message("join_link"), address), h("p", { class: "soft" }, message("join_asks")), button(message("join_look"), readTerms, "main")),
    place,
    section(message("collections_mine"), members.length === 0 ? h("p", { class: "soft" }, message("collections_none")) : h("div", {}, ...members.map((member, i) => card(member, allowed[i] === true)))),
  );
}

/** Her click on the button is what lets the first request leave, to this address alone; nothing of hers is in it. */
async function readTerms(): Promise<void> {
  const link = parseLink(address.value);
  const manifest = await withServers([link.server], message("allowed_terms"), [], () => worker.terms(link));
  place.replaceChildren(termsOf(link, manifest, await askedFor(link.collection, manifest)));
}

/** What is mined, in words: the terms' artifact, or what a study of hers takes in its place. */
async function askedFor(id: string, manifest: ManifestJson): Promise<string> {
  return (await vectorsFor(id)) === undefined ? message(`artifact_${manifest.artifact.replaceAll("-", "_")}`) : message("artifact_vectors");
}

function termsOf(link: Link, manifest: ManifestJson, asked: string): HTMLElement {
  const understood = h("input", { type: "checkbox", id: "understood" });
  const agree = button(message("join_agree"), async () => {
    if (!understood.checked) throw new Told("join_tick");
    await withServers(manifest.parties.map(({ url }) => url), manifest.title, consentsOf(manifest), async () => worker.join(link, manifest, await worker.check(manifest)));
    place.replaceChildren();
    address.value = ""; // the invitation is used
    await draw();
  }, "main");
  const refuse = button(message("join_refuse"), () => place.replaceChildren());
  return section(manifest.title, terms(manifest, asked), h("label", { class: "check" }, understood, message("join_understood")), h("p", { class: "actions" }, agree, refuse));
}

function terms(manifest: ManifestJson, asked: string): HTMLElement {
  const { parties } = manifest;
  const owners = h("ul", { class: "plain" }, ...parties.map(({ role, owner, url }) => h("li", {}, h("span", { class: "grow" }, `${message(`role_${role}`)}: ${owner}`, h("br"), h("small", {}, url)))));
  const cleartext = parties.some(({ url }) => url.startsWith("http:")) ? h("p", { class: "warn" }, message("terms_http")) : undefined;
  const oneHand = mayBeOne(parties) ? h("p", { class: "warn" }, message("terms_one_hand")) : undefined;
  return h("div", {}, facts([...termRows(manifest, asked), [message("terms_parties"), owners]]), cleartext, oneHand, h("p", { class: "warn" }, manifest.consent.not_guaranteed));
}

/** `allowed`: by the browser; without it nothing can be asked or sent. */
function card(member: Membership, allowed: boolean): HTMLElement {
  const body = h("div", {});
  const state = stateOf(member);
  const made = h("article", { class: "task", "data-collection": member.id, "data-state": state }, h("h3", {}, member.manifest.title),
    facts([[message("state"), message(`state_${state}`)], [message("agreed"), moment(member.receipt.time)], [message("reports_sent"), String(member.sent)], ...(member.problem ? [[message("problem"), sentenceOf(member.problem)] as const] : [])]), body);
  if (member.left) {
    made.append(h("p", { class: "actions" }, button(message("forget_collection"), async () => { await forgetLeft(member.id); await draw(); })));
    return made;
  }
  const lost = !allowed && ["joining", "joined", "waiting"].includes(state);
  if (lost) body.append(h("p", { class: "warn" }, message("servers_taken_back")));
  const again = button(message("allow_again"), async () => { await allowAgain(member.manifest); await draw(); }, "main");
  const shown = button(message("receipt"), async () => body.replaceChildren(receipt(member, await askedFor(member.id, member.manifest))));
  made.append(h("p", { class: "actions" }, ...(lost ? [again] : steps(member, state, body)), shown, button(message("leave_collection"), () => goAway(member), "danger")));
  return made;
}

/** What she can do next in a collection. */
function steps(member: Membership, state: string, body: HTMLElement): HTMLElement[] {
  if (state === "joining") return [button(message("join_again"), async () => { await worker.join({ server: member.server, collection: member.id, invitation: member.invitation ?? "" }, member.manifest, member.receipt.head); await draw(); })];
  if (state === "joined") {
    const look = button(message("mine"), async () => {
      body.replaceChildren(preview(member, await worker.choose(member.id)));
      look.className = ""; // what comes next is to seal
    }, "main");
    return [look];
  }
  if (state !== "waiting") return [];
  return [button(message("outbox_show"), async () => body.replaceChildren(waitingReports(await outbox(member.id)))), button(message("send_now"), async () => { await ask({ do: "send" }); await draw(); })];
}

/** Everything that would be sent, in her own words; each can be struck out before anything is made of it. */
function preview(member: Membership, sample: Sample): HTMLElement {
  const boxes = sample.chosen.map((one) => [one, h("input", { type: "checkbox", checked: true })] as const);
  const list = h("ul", { class: "plain" });
  void fill(list, boxes, ([one, box]) => list.append(h("li", {}, h("label", { class: "check grow" }, box, h("span", { class: "artifact" }, one.readable)))));
  const agree = button(message("prepare"), async () => {
    const kept: Chosen[] = boxes.filter(([, box]) => box.checked).map(([one]) => one);
    bar.value = 0;
    agree.after(bar);
    await worker.prepare(member.id, kept).finally(() => bar.remove());
    await ask({ do: "schedule" });
    await draw();
  }, "main");
  const left = message("left_out", sample.tooLong, sample.overLimit, sample.notSampled);
  return h("div", {}, h("p", {}, message("preview_what", sample.chosen.length)), list, h("p", { class: "soft" }, left), h("p", { class: "soft" }, message(member.manifest.cover ? "preview_cover" : "preview_no_cover")), agree);
}

function waitingReports(items: readonly Item[]): HTMLElement {
  const list = h("ul", { class: "plain" });
  void fill(list, items, (item) => {
    const line: HTMLElement = h("li", {}, h("details", { class: "grow" }, h("summary", {}, item.readable === "" ? message("cover_report") : item.readable), h("p", { class: "soft" }, message("exact_bytes", item.submission.length)), h("code", {}, toHex(item.submission))));
    if (item.damaged) line.append(message("damaged_report"));
    else if (item.readable !== "") {
      line.append(button(message("strike"), async () => {
        await worker.strike(item);
        const next = line.nextElementSibling ?? line.previousElementSibling;
        line.replaceWith(h("li", {}, message("struck")));
        goOnIn(next);
      }, "small danger"));
    }
    list.append(line);
  });
  return h("div", {}, h("p", {}, message("outbox_what", items.filter(({ damaged }) => damaged !== true).length)), list);
}

function receipt(member: Membership, asked: string): HTMLElement {
  return h("div", {}, terms(member.manifest, asked), facts([[message("agreed"), new Date(member.receipt.time).toISOString()], [message("receipt_id"), h("code", {}, member.id)], [message("receipt_head"), h("code", {}, member.receipt.head)]]));
}

async function goAway(member: Membership): Promise<void> {
  if (!(await confirmed(message("leave_collection_sure", member.manifest.title), message("leave_collection")))) return;
  await leave(member.id);
  await giveBackUnneeded(member.manifest.parties.map(({ url }) => new URL(url).origin));
  await ask({ do: "schedule" });
  await draw();
}

addEventListener("hashchange", () => (address.value = behindHash()));
void draw();
