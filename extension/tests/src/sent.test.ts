/** The list of what was sent: the newest lines, and one for many alike. */

import "fake-indexeddb/auto";
import { expect, it } from "vitest";
import { MOST_SENT, sentLines, writeDown } from "../../src/store/sent.ts";

const line = { time: Date.UTC(2026, 10, 19, 12), method: "POST", origin: "https://mix.example", bytes: 7, why: "a collection" };

it("holds the newest, and one line for those alike of a day", async () => {
  for (let i = 0; i < MOST_SENT + 5; i++) await writeDown({ ...line, bytes: i });
  await writeDown({ ...line, bytes: MOST_SENT + 4, time: line.time + 1 });
  const lines = await sentLines();
  expect(lines.length).toBe(MOST_SENT);
  expect(lines[0]?.bytes).toBe(5);
  expect(lines.at(-1)).toMatchObject({ bytes: MOST_SENT + 4, times: 2, time: line.time + 1 });
});
