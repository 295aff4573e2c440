/** Search Task Assistant: searches and visits grouped into tasks; moved by drag and drop or by keyboard; searchable; related tasks. */

import { cardOf, relatedTasks, taskAt } from "../apps/related.ts";
import type { TaskSearch } from "../apps/searches.ts";
import { move, taskClient } from "../apps/task-client.ts";
import { lastTime, type Task } from "../apps/tasks.ts";
import { noteUse } from "../apps/usage.ts";
import { splitWords } from "../log/events.ts";
import { button, fill, frame, goOnIn, h, moment, outside, section } from "./dom.ts";
import { message } from "./messages.ts";
import { relatedLines } from "./related.ts";

const SHOWN = 30; // at once; more on a button
const LINES = 5; // of a task that are shown at first
const RELATED = 5;
const bar = h("progress", { max: 1, value: 0, "aria-label": message("grouping") });
const client = taskClient((share) => (bar.value = share));
const main = frame("assistant");
const words = h("input", { type: "search", id: "words" });
const related = h("div", { id: "related" });
const list = h("div", { id: "tasks", "aria-busy": "true" });
let tasks: readonly Task[] = [];
let searches: readonly TaskSearch[] = [];
let dragged: { search: string; task: Task } | undefined;

async function group(): Promise<void> {
  list.setAttribute("aria-busy", "true");
  list.before(bar);
  ({ searches, tasks } = await client.group());
  await showRelated(); // before the tasks: nothing may move under a hand that drags
  bar.remove();
  const drawn = show();
  list.dataset["searches"] = String(searches.length);
  list.setAttribute("aria-busy", "false");
  await drawn;
}

async function show(): Promise<void> {
  const asked = splitWords(words.value);
  const fits = (task: Task) => asked.every((word) => task.searches.some((one) => one.query.includes(word) || one.visits.some((visit) => visit.includes(word))));
  const found = tasks.filter(fits);
  const cards = h("div", {});
  if (searches.length === 0) {
    list.replaceChildren(h("p", { class: "soft", role: "status" }, message("tasks_none")));
    return;
  }
  list.replaceChildren(h("p", { class: "soft", role: "status" }, message("tasks_found", found.length, searches.length)), cards, newTask());
  await draw(cards, found);
}

async function draw(cards: HTMLElement, found: readonly Task[]): Promise<void> {
  await fill(cards, found.slice(0, SHOWN), (task) => cards.append(card(task)));
  if (found.length <= SHOWN) return;
  const more = button(message("older_tasks", found.length - SHOWN), async () => {
    const last = more.previousElementSibling;
    more.remove();
    await draw(cards, found.slice(SHOWN));
    goOnIn(last?.nextElementSibling);
  });
  cards.append(more);
}

function card(task: Task): HTMLElement {
  const lines = (some: readonly TaskSearch[]) => h("ul", { class: "plain" }, ...[...some].reverse().map((one) => line(one, task))); // newest first
  const newest = task.searches.slice(-LINES);
  const made = h("article", { class: "task", id: cardOf(task), "aria-label": task.name }, h("h3", {}, task.name), h("small", {}, moment(lastTime(task))), lines(newest));
  const older = task.searches.slice(0, -LINES);
  if (older.length > 0) {
    const more = button(message("older_searches", older.length), () => {
      const came = lines(older);
      more.replaceWith(came);
      goOnIn(came);
    }, "small");
    made.append(more);
  }
  acceptDrops(made, task);
  return made;
}

function line(search: TaskSearch, task: Task): HTMLElement {
  const visits = [...new Set(search.visits)].map((url) => h("div", {}, h("small", {}, outside(url, url))));
  const begin = (event: Event): void => {
    dragged = { search: search.uid, task };
    (event as DragEvent).dataTransfer?.setData("text/plain", search.text); // Firefox drags nothing that has no data
    setTimeout(() => list.classList.add("dragging")); // Chromium ends a drag at whose beginning the page changes
  };
  return h("li", { draggable: "true", "data-uid": search.uid, ondragstart: begin }, h("time", {}, moment(search.milliseconds)), h("span", { class: "grow" }, search.text, ...visits), mover(search, task));
}

/** The keyboard's way to do what the mouse does by dragging. Its choices are made when it is first used: there are many searches. */
function mover(search: TaskSearch, task: Task): HTMLSelectElement {
  const others = () => tasks.filter((one) => one !== task).slice(0, SHOWN);
  const choose: HTMLSelectElement = h("select", { "aria-label": message("move_this", search.text), onchange: (): unknown => moveTo(search.uid, task, choose.value === "new" ? undefined : others()[Number(choose.value)]) }, h("option", { value: "" }, message("move")));
  const fill = (): void => {
    if (choose.length > 1) return;
    choose.append(h("option", { value: "new" }, message("new_task")), ...others().map((one, i) => h("option", { value: i }, one.name.slice(0, 60))));
  };
  choose.addEventListener("focus", fill);
  choose.addEventListener("pointerdown", fill);
  return choose;
}

function newTask(): HTMLElement {
  const made = h("div", { class: "task", id: "new-task" }, message("drop_new"));
  acceptDrops(made, undefined);
  return made;
}

function acceptDrops(element: HTMLElement, task: Task | undefined): void {
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("over");
    if (dragged && dragged.task !== task) void moveTo(dragged.search, dragged.task, task);
  });
}

async function moveTo(search: string, source: Task, target: Task | undefined): Promise<void> {
  await move(search, source, target);
  await noteUse("assistant", "moved");
  await group();
  list.querySelector<HTMLElement>(`li[data-uid="${search}"] select`)?.focus({ preventScroll: true }); // she finds again what she moved
}

async function showRelated(): Promise<void> {
  const current = searches.at(-1);
  if (!current) return;
  const lines = relatedLines(relatedTasks({ searches, tasks }, await client.withLast(searches), RELATED), "_self");
  related.replaceChildren(section(message("related_to", current.text), lines.length === 0 ? h("p", { class: "soft" }, message("related_none")) : h("ul", { class: "plain" }, ...lines)));
}

/** A task that a link leads to is drawn, however old it is. */
function showLinked(): void {
  const linked = taskAt(location.hash, tasks);
  if (!linked) return;
  if (!document.getElementById(cardOf(linked))) list.querySelector("div")?.prepend(card(linked));
  document.getElementById(cardOf(linked))?.scrollIntoView();
}

for (const over of ["dragend", "drop"]) addEventListener(over, () => list.classList.remove("dragging"));
words.addEventListener("input", () => void show());
addEventListener("hashchange", showLinked);
main.append(h("p", {}, message("assistant_what")), related, h("p", { class: "actions" }, h("label", { class: "grow" }, message("tasks_search"), words), button(message("regroup"), group)), list);
void noteUse("assistant", "opened");
void group().then(showLinked); // once: nothing may jump when she has moved a search
