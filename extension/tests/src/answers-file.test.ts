/** What is saved or sent of her answers: nothing of this installation, and of frustration the number that `crowdlog frustration` reads. */

import { expect, it } from "vitest";
import { answersFile } from "../../src/studies/answers-file.ts";
import { SHIPPED } from "../../src/studies/shipped.ts";
import type { Study } from "../../src/studies/study.ts";

function shipped(id: string): Study {
  return SHIPPED.find((study) => study.id === id) as Study;
}

it("numbers the choices of the frustration question, and of no other", () => {
  const kept = { n: 7, step: 0, time: 1, about: "a search", sent: 2 };
  const answer = (study: string, values: Record<string, string>) => answersFile(shipped(study), [{ ...kept, study, values }]).answers[0];
  const told = { step: 0, time: 1, about: "a search" };
  expect(answer("frustration", { frustrated: "not at all" })).toEqual({ ...told, values: { frustrated: "not at all" }, label: 1 });
  expect(answer("frustration", { frustrated: "extremely" })).toMatchObject({ label: 5 });
  expect(answer("frustration", { frustrated: "a choice of an older version" })).not.toHaveProperty("label");
  expect(answer("post-query", { goal: "x", found: "yes" })).toEqual({ ...told, values: { goal: "x", found: "yes" } });
});
