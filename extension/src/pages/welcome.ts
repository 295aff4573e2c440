/** The first page after installation: nothing is logged before she says so here. */

import { loggingNow } from "../log/state.ts";
import { startLogging } from "../log/switch.ts";
import { allowPages } from "./permissions.ts";
import { button, frame, h, section } from "./dom.ts";
import { message } from "./messages.ts";

async function draw(): Promise<void> {
  const { on, state, blocked } = await loggingNow();
  const { pages = false } = await chrome.storage.local.get("pages");
  frame("welcome",
    h("p", {}, message("welcome_what")),
    section(message("welcome_log_title"), h("p", {}, message("welcome_log")), h("p", {}, message("welcome_private")),
      on ? h("div", { role: "status" }, h("p", {}, h("strong", {}, message(state, blocked.names.join(", ")))), h("p", {}, message("welcome_next"), " ", h("a", { href: "history.html" }, message("page_history")))) : button(message("welcome_start"), async () => { await startLogging(); await draw(); }, "main")),
    section(message("welcome_pages_title"), h("p", {}, message("welcome_pages")),
      pages ? h("p", { role: "status" }, h("strong", {}, message("pages_on"))) : button(message("welcome_pages_allow"), async () => { await allowPages(true); await draw(); })),
    section(message("welcome_send_title"), h("p", {}, message("welcome_send")), h("a", { href: "collections.html" }, message("page_collections"))),
    h("p", {}, h("a", { href: "help.html" }, message("page_help")), " · ", h("a", { href: "studies.html" }, message("page_studies"))),
  );
}

void draw();
