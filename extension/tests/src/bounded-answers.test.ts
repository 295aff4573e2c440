/** Whoever answers cannot fill the memory of who asks, nor hold her up. */

import { describe, expect, it } from "vitest";
import { fromBase64, toBase64 } from "../../lib/base64.ts";
import { bytesOf, MOST_FILE } from "../../src/background/bounded-answers.ts";

const MOST_MESSAGE = 64 * 2 ** 20; // that Chromium carries from the background to a page

/** An answer that sends pieces for ever, and how many were taken. */
function endless(piece: Uint8Array, pause = 0): { answer: Response; taken: () => number; ended: () => boolean } {
  let [taken, ended] = [0, false];
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (ended) return;
    taken += 1;
    controller.enqueue(piece);
  };
  const body = new ReadableStream({ pull, cancel: () => void (ended = true) });
  return { answer: new Response(body), taken: () => taken, ended: () => ended };
}

describe("an answer", () => {
  it("is whole where it ends in time", async () => {
    expect(new TextDecoder().decode(await bytesOf(new Response('{"a": "é"}'), 100))).toBe('{"a": "é"}');
    expect(await bytesOf(new Response("12345"), 5)).toHaveLength(5);
    expect(await bytesOf(new Response(null), 5)).toHaveLength(0);
  });
  it("is none where it is longer than it may be", async () => {
    expect(await bytesOf(new Response("123456"), 5)).toBeUndefined();
    const { answer, taken, ended } = endless(new Uint8Array(1000));
    expect(await bytesOf(answer, 10_000)).toBeUndefined();
    expect(taken()).toBeLessThan(20);
    expect(ended()).toBe(true);
  });
  it("is none where it takes longer than it may", async () => {
    const { answer, ended } = endless(new Uint8Array(1), 20);
    expect(await bytesOf(answer, 10_000, 100)).toBeUndefined();
    expect(ended()).toBe(true);
  });
  it("reaches the page that asked, also the longest", () => {
    const longest = new Uint8Array(MOST_FILE).fill(255);
    const message = JSON.stringify({ value: toBase64(longest) });
    expect(message.length).toBeLessThan(MOST_MESSAGE);
    expect(Buffer.compare(fromBase64((JSON.parse(message) as { value: string }).value), longest)).toBe(0);
  });
});
