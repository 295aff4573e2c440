/** Help: what is kept, what leaves, what each permission is for. */

import { facts, frame, h, section } from "./dom.ts";
import { message } from "./messages.ts";

const QUESTIONS = ["logged", "where", "leaves", "private", "k", "epsilon", "old", "pause", "delete", "engines"];
const PERMISSIONS = ["storage", "alarms", "scripting", "declarativeNetRequestWithHostAccess", "engines", "pages", "servers"];

frame("help",
  ...QUESTIONS.map((name) => section(message(`help_${name}_title`), h("p", {}, message(`help_${name}`)))),
  section(message("help_permissions"), facts(PERMISSIONS.map((name) => [message(`permission_name_${name}`), message(`permission_${name}`)]))),
  h("p", {}, h("a", { href: "welcome.html" }, message("page_welcome")), " · ", h("a", { href: "feedback.html" }, message("page_feedback")), " · ", h("a", { href: "developer.html" }, message("page_developer")), " · ", h("a", { href: "leave.html" }, message("page_leave"))),
);
