/** Whether an event of a page may be written down. A page that is open stays open when she changes her mind, and what runs in it asks again
 *  each time: when she pauses, when she stops logging pages or takes an engine away, and when the browser takes it away. */

import { ENGINES } from "../engines/engine.ts";
import type { LogEvent } from "../log/events.ts";

/** Values of the browser's storage, as the background and pages of the extension write them. */
export interface Wanted {
  readonly logging?: boolean;
  /** Pages that are no result pages. */
  readonly pages?: boolean;
  /** Her own. */
  readonly engines?: readonly { readonly id: string }[];
  /** Ids of engines whose pages the browser does not let be seen. */
  readonly blocked?: readonly string[];
}

export const WANTED = ["logging", "pages", "engines", "blocked"] as const;

export function isWanted({ engine }: Pick<LogEvent, "engine">, { logging, pages, engines, blocked }: Wanted): boolean {
  if (logging !== true) return false;
  if (engine === undefined) return pages === true;
  return [...ENGINES, ...(engines ?? [])].some(({ id }) => id === engine) && !blocked?.includes(engine);
}
