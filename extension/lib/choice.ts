/** Uniform choices from the injected randomness: the same draws as the Python package's `crowd/shuffle.py`. */

import type { Randomness } from "./bytes.ts";

const MILLION = 1_000_000;

/** A uniform integer of 0 … n−1 by rejection, so that no value is favoured; n is below 2^48. */
export function uniformBelow(n: number, randomness: Randomness): number {
  const size = Math.ceil(n.toString(2).length / 8);
  const limit = Math.floor(256 ** size / n) * n;
  for (;;) {
    const drawn = randomness(size).reduceRight((sum, byte) => sum * 256 + byte, 0);
    if (drawn < limit) return drawn % n;
  }
}

/** The items in uniformly random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], randomness: Randomness): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = uniformBelow(last + 1, randomness);
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}

/** Each item with this probability, in millionths, whatever becomes of the others (a collection's term `sampling`). */
export function sampled<T>(items: readonly T[], millionths: number, randomness: Randomness): T[] {
  return items.filter(() => uniformBelow(MILLION, randomness) < millionths);
}

/** A number of [0, 1) with 53 random bits. */
export function fraction(randomness: Randomness): number {
  const [high, low] = new Uint32Array(randomness(8).slice().buffer).reverse() as unknown as [number, number];
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
}
