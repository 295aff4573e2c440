/** Which study files are taken: the same cases as `crowdlog study check` (tests/vectors/studies.json). */

import { describe, expect, it } from "vitest";
import cases from "../../../tests/vectors/studies.json";
import { SHIPPED } from "../../src/studies/shipped.ts";
import { saidBy } from "./english.ts";
import { isRunning, readSignedStudy, readStudy } from "../../src/studies/study.ts";

type Change = { readonly path: readonly (string | number)[]; readonly value?: unknown };

function changed({ path, value }: Change): unknown {
  const study = structuredClone(cases.study) as unknown;
  const last = path.at(-1) as string;
  const place = path.slice(0, -1).reduce((one: unknown, name) => (one as Record<string | number, unknown>)[name], study) as Record<string, unknown>;
  if (value === undefined) delete place[last];
  else place[last] = value;
  return study;
}

describe("a study", () => {
  it("of the vectors is good, and those shipped are", () => {
    expect(readStudy(cases.study).id).toBe("example");
    expect(SHIPPED.map(({ id }) => id)).toEqual(["coverage", "web-search-behavior", "frustration", "post-query"]);
  });
  it.each(cases.bad)("is refused: $why", (change) => {
    expect(saidBy(() => readStudy(changed(change as unknown as Change)))).toContain(change.says);
  });
  it("must carry a signature that fits", () => {
    const text = JSON.stringify(cases.signed);
    expect(readSignedStudy(text).signing).toBe(cases.signed.signing);
    expect(saidBy(() => readSignedStudy(text.replace("An example", "Another")))).toContain("signature");
    for (const none of ["{}", "", "null", "no json"]) expect(saidBy(() => readSignedStudy(none))).toContain("no signed study");
  });
  it("runs between its dates", () => {
    const study = readStudy(cases.study);
    expect(["2026-10-31", "2026-11-01", "2027-01-31", "2027-02-01"].map((today) => isRunning(study, today))).toEqual([false, true, true, false]);
  });
});
