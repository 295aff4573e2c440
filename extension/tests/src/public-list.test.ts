/** The public list that a volunteer's client follows: the heads are those that the Python client makes of the same ids. */

import { describe, expect, it } from "vitest";
import vectors from "../../../tests/vectors/public-list.json";
import { checkedHead } from "../../src/crowd/public-list.ts";
import { headsSeen, type Membership } from "../../src/store/crowd.ts";

const { ids, heads } = vectors;
const [first, second, third] = ids as [string, string, string];
const foreign = "f".repeat(64);

function listed(): { collections: ({ id?: string; head?: string } | number)[]; head: string } {
  return { collections: ids.map((id, n) => ({ id, head: heads[n + 1] as string })), head: heads.at(-1) as string };
}

describe("the public list", () => {
  it("is believed where it goes on from every head that was seen", () => {
    expect(checkedHead(listed(), second, heads)).toBe(heads.at(-1));
  });
  it("is refused where it does not name the collection or has not grown from what was seen", () => {
    expect(() => checkedHead(listed(), foreign, [])).toThrow("told_not_listed");
    expect(() => checkedHead({}, first, [])).toThrow("told_list_contradicts");
    expect(() => checkedHead({ collections: [], head: heads[0] }, first, [])).toThrow("told_not_listed");
    expect(() => checkedHead(listed(), third, [foreign])).toThrow("told_list_not_grown");
  });
  it.each([
    ["the first is missing", (shown: ReturnType<typeof listed>) => shown.collections.shift()],
    ["another order", (shown: ReturnType<typeof listed>) => shown.collections.reverse()],
    ["another head at the end", (shown: ReturnType<typeof listed>) => (shown.head = foreign)],
    ["an entry without a head", (shown: ReturnType<typeof listed>) => delete (shown.collections[0] as { head?: string }).head],
    ["an id that is none", (shown: ReturnType<typeof listed>) => ((shown.collections[0] as { id?: string }).id = "x")],
    ["no entry", (shown: ReturnType<typeof listed>) => shown.collections.push(5)],
  ])("is refused where it contradicts itself: %s", (_what, change) => {
    const shown = listed();
    change(shown);
    expect(() => checkedHead(shown, second, [])).toThrow("told_list_contradicts");
  });
  it("has been seen in the receipts of collections with the same randomness server, left ones too", () => {
    const member = (signing: string, head: string): Membership => ({ manifest: { parties: [{ signing }] }, receipt: { time: 0, head }, left: true }) as unknown as Membership;
    expect(headsSeen([member("a", first), member("b", second)], { signing: "a" } as never)).toEqual([first]);
  });
});
