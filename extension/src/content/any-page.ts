/** Runs on every page once she has allowed it: loads, focus and blur, clicks on links. Result pages' clicks are logged by engine-page.ts. */

import { askedBy, type Engine, ENGINES } from "../engines/engine.ts";
import { readyToRecord, record } from "./record.ts";
import { activated, parsed } from "./seen.ts";

let engines: readonly Engine[] = ENGINES;

async function start(): Promise<void> {
  const page = () => ({ url: location.href, title: document.title });
  document.addEventListener("click", clicked, { capture: true });
  document.addEventListener("auxclick", clicked, { capture: true });
  void readyToRecord();
  const own = (await chrome.storage.local.get("engines"))["engines"] as Engine[] | undefined;
  engines = [...ENGINES, ...(own ?? [])];
  await activated();
  await parsed(); // its title
  record({ kind: "load", ...page() });
  if (document.hasFocus()) record({ kind: "focus", ...page() });
  addEventListener("focus", () => record({ kind: "focus", ...page() }));
  addEventListener("blur", () => record({ kind: "blur", ...page() }));
}

function clicked(event: MouseEvent): void {
  const anchor = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
  if (!(anchor instanceof HTMLAnchorElement) || !/^https?:/.test(anchor.href) || event.button > 1) return;
  if (askedBy(location.href, engines)) return;
  record({ kind: "link-click", url: location.href, target: anchor.href, anchor: (anchor.textContent ?? "").trim().slice(0, 300) });
}

if (window.top === window) void start();
