/** What pages read behind # in their own address: anybody can write a link to them. */

import { expect, it } from "vitest";
import { behindHash } from "../../src/pages/behind-hash.ts";

it("is a link as it was written, or nothing", () => {
  const link = "https://a.example/collections/0#i v";
  expect(behindHash("")).toBe("");
  expect(behindHash(`#${encodeURIComponent(link)}`)).toBe(link);
  for (const broken of ["#%zz", "#%", "#a%E0%A4", "#%ff"]) expect(behindHash(broken)).toBe("");
});
