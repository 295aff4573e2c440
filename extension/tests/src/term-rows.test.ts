/** All terms are told before joining: whatever differs between two descriptions, but keys, differs in words. */

import { beforeAll, describe, expect, it } from "vitest";
import vectors from "../../../tests/vectors/crowd-client.json";
import { termRows } from "../../src/crowd/term-rows.ts";
import type { ManifestJson } from "../../src/crowd/manifest.ts";
import { english } from "./english.ts";

const manifest = structuredClone(vectors.manifests[0]?.manifest) as unknown as ManifestJson;
const told = (changed: ManifestJson): string => termRows(changed, "queries").map((row) => row.join(": ")).join("\n");

beforeAll(() => {
  (globalThis as { chrome?: unknown }).chrome = { i18n: { getMessage: (name: string, values: string[]) => english(name, ...values) } };
});

describe("the terms", () => {
  it.each([
    [{ smallest_crowd: 77 }, "nothing is sealed before 77 people have joined"],
    [{ sampling: 250_000 }, "with a probability of 25 %"],
    [{ secondary: "original" }, "the text as you wrote it, readable where the rest is"],
    [{ representation: "heavy" }, "stems of words"],
    [{ count: "impressions" }, "how often"],
    [{ cover: !manifest.cover }, manifest.cover ? "visible to the first mix" : "Empty reports are added"],
    [{ policy: "FTu(k=99)" }, "FTu(k=99)"],
    [{ mining_until: 1_800_000_000 }, "2027"],
    [{ upload_seconds: 9000 }, "within 2.5 hours"],
    [{ inner_artifact: "click", inner_policy: "FTu(k=11)", collection: { ...(manifest.collection as object), inner_k: 11, inner_slots: 4 } }, "queries with a result you opened: at most 4 of each query, readable only if at least 11 people"],
    [{ collection: { ...(manifest.collection as object), k: 31 } }, "at least 31 people"],
    [{ collection: { ...(manifest.collection as object), limit: 83 } }, "83 reports"],
    [{ job: { ...manifest.job, previous: "ab".repeat(32) } }, `Round before: ${"ab".repeat(32)}`],
    [{ job: { ...manifest.job, panel: "people of one town" } }, "Who is asked: people of one town"],
    [{ job: { ...manifest.job, repeat_seconds: 7 * 24 * 3600 } }, "every 7 days"],
    [{ job: { ...manifest.job, log_from: 1_700_000_000 } }, "until now"],
    [{ job: { ...manifest.job, log_until: 1_700_000_000 } }, "from the beginning until"],
    [{ job: { ...manifest.job, mining_from: 1_800_000_000 } }, "Sealing begins"],
    [{ consent: { ...manifest.consent, version: 42 } }, "Version of these words: 42"],
  ] as [Partial<ManifestJson>, string][])("tell of %o", (change, words) => {
    expect(told(manifest)).not.toContain(words);
    expect(told({ ...manifest, ...change } as ManifestJson)).toContain(words);
  });
});
