/** Which studies of a catalogue are offered: those this version can read; a study that was tampered with spoils all. */

import "fake-indexeddb/auto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { expect, it } from "vitest";
import cases from "../../../tests/vectors/studies.json";
import { concat, toHex, utf8 } from "../../lib/bytes.ts";
import { canonical } from "../../lib/terms.ts";
import { onWire } from "../../src/log/wire.ts";
import { catalogues, keepCatalogue } from "../../src/studies/catalogue.ts";
import { readSignedStudy } from "../../src/studies/study.ts";
import { english, saidBy } from "./english.ts";

const URL_ = "https://operator.example/catalogue.json";
const KEY = new Uint8Array(32).fill(7);
const NEW_STEP = { do: "a-later-kind", anything: 1 };

function sealed(what: "study" | "catalogue", body: unknown): { signing: string; signature: string } {
  const message = concat(utf8(`crowdlog-v2-${what}`), Uint8Array.of(0), utf8(canonical(body as never)));
  return { [what]: body, signing: toHex(ed25519.getPublicKey(KEY)), signature: toHex(ed25519.sign(message, KEY)) } as never;
}

function study(change: object): { signing: string; signature: string } {
  return sealed("study", { ...cases.study, ...change });
}

async function said(studies: readonly unknown[]): Promise<string> {
  try {
    await keepCatalogue(URL_, JSON.stringify(sealed("catalogue", { studies, messages: [] })));
  } catch (error) {
    const { sentence, values } = onWire(error);
    return english(sentence, ...values);
  }
  return "";
}

it("offers the others and counts those that are too new", async () => {
  expect(await said([study({}), study({ id: "two", version: 2, later: true }), study({ id: "three", steps: [NEW_STEP] })])).toBe("");
  const [one] = await catalogues();
  expect(one?.studies.map(({ study: { id } }) => id)).toEqual([cases.study.id]);
  expect(one?.newer).toBe(2);
  expect(await said([study({})])).toBe("");
  expect((await catalogues())[0]?.newer).toBe(0);
});

it("is refused as a whole for what is wrong otherwise, also in a study that is too new", async () => {
  const before = await catalogues();
  expect(await said([study({}), { ...study({ version: 2 }), signature: "0".repeat(128) }])).toContain("signature");
  expect(await said([study({}), study({ version: 0 })])).toContain("version");
  expect(await said([study({}), study({ version: "2" })])).toContain("version");
  expect(await said([study({}), study({ title: "" })])).toContain("title");
  expect(await said([study({}), study({ format: "another", version: 2 })])).toContain("format");
  expect(await catalogues()).toEqual(before);
});

it("says of a file that it is too new", () => {
  expect(saidBy(() => readSignedStudy(JSON.stringify(study({ version: 2 }))))).toContain("newer version of the extension");
});
