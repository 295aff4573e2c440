/** A repeatable stream from a seed, the same as Python's `SeededRandomness`: SHAKE-256 of seed and call number. */

import { shake256 } from "@noble/hashes/sha3.js";
import { type Randomness, utf8 } from "./bytes.ts";

export function seeded(seed: number | bigint): Randomness {
  let calls = 0;
  return (n) => shake256(utf8(`crowdlog seeded randomness ${seed} ${++calls}`), { dkLen: n });
}
