/** The repeatable randomness of the test vectors. */

import { shake256 } from "@noble/hashes/sha3.js";
import { type Randomness, utf8 } from "../lib/bytes.ts";

export function seeded(seed: number): Randomness {
  let calls = 0;
  return (n) => shake256(utf8(`crowdlog seeded randomness ${seed} ${++calls}`), { dkLen: n });
}
