/** What to ask next: answers of the crowd log for the last searches of her task, weighed and merged here. */

import { QueryGraph } from "../../lib/query-graph.ts";
import { type Answer, contextWeights, mergeAnswers } from "../../lib/recommend.ts";
import type { Engine } from "../engines/engine.ts";
import { eventsOf } from "../store/events.ts";
import { SESSION_SECONDS } from "../log/sessions.ts";
import { keptCrowdLog } from "./crowd-log.ts";
import { taskSearches, type TaskSearch } from "./searches.ts";
import { taskClient } from "./task-client.ts";

const CONTEXT = 10; // searches looked back at
/** Searches that are no older belong to what she does now; milliseconds. */
export const RECENT = 4 * SESSION_SECONDS * 1000;

/** Suggestions for the current task; none without a crowd log or without recent searches. */
export async function suggestionsNow(top: number): Promise<Answer> {
  const log = await keptCrowdLog();
  if (!log) return [];
  const recent = taskSearches(await eventsOf(["search", "result-click"], Date.now() - RECENT)).slice(-CONTEXT);
  if (recent.length === 0) return [];
  return suggest(new QueryGraph(log), recent, await taskClient().withLast(recent), top);
}

/** The engine she used last, to ask a suggestion there. */
export async function lastEngine(engines: readonly Engine[]): Promise<Engine | undefined> {
  const last = (await eventsOf(["search"], Date.now() - RECENT)).at(-1)?.engine;
  return engines.find(({ id }) => id === last);
}

/** `sameTask`: how surely each search serves the task of the last one. What she asked already is not suggested. */
export function suggest(graph: QueryGraph, context: readonly Pick<TaskSearch, "query">[], sameTask: number[], top: number): Answer {
  const weights = contextWeights("firm2", sameTask);
  const answers = context.map(({ query }, i) => ((weights[i] as number) > 0 ? graph.answer(query) : []));
  const asked = new Set(context.map(({ query }) => query));
  return mergeAnswers(answers, weights, top + asked.size).filter(([query]) => !asked.has(query)).slice(0, top);
}
