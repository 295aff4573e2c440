/** Suggested queries as links to the engine she used last; as plain text where that is not known. */

import { lastEngine } from "../apps/suggest.ts";
import { noteUse } from "../apps/usage.ts";
import type { Answer } from "../../lib/recommend.ts";
import { addressOf } from "../engines/engine.ts";
import { knownEngines } from "../engines/known.ts";
import { h } from "./dom.ts";

export async function suggestedLines(next: Answer): Promise<HTMLElement[]> {
  if (next.length === 0) return [];
  await noteUse("suggestions", "shown");
  const engine = await lastEngine(await knownEngines());
  const link = (query: string) => (engine ? h("a", { href: addressOf(engine, query), target: "_blank", rel: "noreferrer", onclick: () => noteUse("suggestions", "followed") }, query) : query);
  return next.map(([query]) => h("li", {}, link(query)));
}
