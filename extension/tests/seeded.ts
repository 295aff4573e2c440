/** The repeatable randomness of the test vectors. */

export { seeded } from "../lib/seeded.ts";
