/** What she struck out after a sealing that was stopped does not leave. */

import { expect, it } from "vitest";
import { type Prepared, withoutStruck } from "../../src/crowd/reports.ts";

const made = (slot: number, readable: string): Prepared => ({ slot, readable, submission: new Uint8Array([slot]) });
const covered = ({ slot }: Prepared): Prepared => ({ slot, readable: "", submission: new Uint8Array([99]) });

it("becomes a cover report in the same slot", () => {
  const sealed = [made(3, "trains"), made(1, "keep this secret"), made(2, "")];
  const kept = [{ readable: "trains", parts: [] }] as unknown as Parameters<typeof withoutStruck>[1];
  expect(withoutStruck(sealed, kept, covered)).toEqual([made(3, "trains"), covered(made(1, "")), made(2, "")]);
});
