/** Related tasks as links to their cards in the Search Task Assistant. */

import { cardOf } from "../apps/related.ts";
import type { Task } from "../apps/tasks.ts";
import { h } from "./dom.ts";
import { message } from "./messages.ts";

/** `target`: "_blank" where the assistant is another page. */
export function relatedLines(tasks: readonly Task[], target: "_self" | "_blank"): HTMLElement[] {
  const place = target === "_blank" ? "assistant.html" : "";
  const link = (task: Task) => h("a", { class: "grow", href: `${place}#${cardOf(task)}`, target }, task.name);
  return tasks.map((task) => h("li", {}, link(task), h("small", {}, message("searches_number", task.searches.length))));
}
