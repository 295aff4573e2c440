/** One study: its questions, labels and tables; every answer can be read, saved and deleted; a loud screen before anything leaves in the clear. */

import { Told } from "../../lib/told.ts";
import { suggestionsNow } from "../apps/suggest.ts";
import { usesOf } from "../apps/usage.ts";
import { ANSWERS } from "../store/consents.ts";
import { groupBy } from "../log/group.ts";
import { eventsOf } from "../store/events.ts";
import { answersFile } from "../studies/answers-file.ts";
import { coverage } from "../studies/coverage.ts";
import { type Answer, answersOf, asksNow, deleteAnswer, dismiss, type Installed, installed, keepAnswer, saveStudy, UNSIGNED, type Waiting, waitingQuestions } from "../studies/installed.ts";
import { noteModule } from "../studies/module-log.ts";
import { isRunning, type Labelling, type Questionnaire, type Step } from "../studies/study.ts";
import { ask, callThroughGate } from "./background.ts";
import { behindHash } from "./behind-hash.ts";
import { button, download, facts, frame, h, moment, outside, section, table } from "./dom.ts";
import { lab } from "./lab.ts";
import { message } from "./messages.ts";
import { withServers } from "./permissions.ts";
import { fieldsOf } from "./questions.ts";

async function draw(): Promise<void> {
  const one = (await installed()).find(({ id }) => id === behindHash());
  if (!one) {
    frame("study", h("p", {}, message("study_unknown")), h("a", { href: "studies.html" }, message("page_studies")));
    return;
  }
  const steps = asksNow(one) ? await Promise.all(one.study.steps.map((step, number) => shown(one, step, number))) : [];
  frame("study", h("h2", {}, one.study.title), h("p", {}, one.study.purpose), participation(one), h("details", {}, h("summary", {}, message("study_agreed_to")), h("p", {}, one.study.consent)), ...steps, await kept(one), h("p", {}, h("a", { href: "studies.html" }, message("study_part"))));
}

/** Where she stands. */
function participation({ study, agreed, paused, signing }: Installed): HTMLElement {
  const state = paused ? "study_state_paused" : isRunning(study) ? "study_state_running" : "study_state_over";
  const own = signing === UNSIGNED ? [[message("signature"), message("signed_not")] as const] : [];
  return facts([[message("state"), message(state)], [message("agreed"), moment(agreed)], [message("terms_dates"), `${study.from} – ${study.until}`], [message("terms_contact"), study.contact], ...own]);
}

async function shown(one: Installed, step: Step, number: number): Promise<HTMLElement> {
  if (step.do === "questionnaire") return questionnaire(one, step, number);
  if (step.do === "label-pages" || step.do === "label-suggestions") return labelling(one, step, number);
  if (step.do === "coverage") return covered(step.most_k);
  if (step.do === "lab") return lab(one, step, number, draw);
  if (step.do === "join-collection") return section(message("page_collections"), h("p", {}, step.what), ...(step.vectors === undefined ? [] : [h("p", {}, message("step_vectors", step.collection ?? ""))]), h("a", { href: "collections.html" }, message("page_collections")));
  return section(message("step_group"), h("p", {}, message("step_group_what")), h("a", { href: "assistant.html" }, message("page_assistant")));
}

async function questionnaire(one: Installed, step: Questionnaire, number: number): Promise<HTMLElement> {
  const answered = (await answersOf(one.id)).some((answer) => answer.step === number);
  const once: Waiting[] = step.when === "once" && !answered ? [{ name: "", study: one.id, step: number, time: Date.now(), about: "", text: "" }] : [];
  const waiting = [...once, ...(await waitingQuestions()).filter((question) => question.study === one.id && question.step === number)];
  const forms = waiting.map((question) => form(step, question));
  return section(message("questions"), forms.length === 0 ? h("p", { class: "soft" }, message(`no_questions_${step.when.replace("-", "_")}`)) : h("div", {}, ...forms));
}

function form(step: Questionnaire, waiting: Waiting): HTMLElement {
  const fields = fieldsOf(step.questions);
  const save = async () => {
    const used = step.features === undefined || step.features === "frustration" ? {} : await usesOf(waiting.study, step.features);
    const values = { ...fields.answers(), ...waiting.features, ...used };
    const of = step.when === "once" ? {} : { of: [waiting.about] };
    if (!(await keepAnswer({ study: waiting.study, step: waiting.step, time: Date.now(), about: waiting.text, values, ...of }, waiting))) throw new Told("told_search_deleted");
    await noteModule(waiting.study, `step ${waiting.step + 1}: answered`);
    await ask({ do: "badge" });
    await draw();
  };
  const skip = button(message("skip_question"), async () => { await dismiss(waiting); await ask({ do: "badge" }); await draw(); });
  return h("article", { class: "task question" }, ...(waiting.text === "" ? [] : [h("h3", {}, message("about_search", waiting.text))]), ...fields.labels, h("p", { class: "actions" }, button(message("save_answer"), save, "main"), ...(step.when === "once" ? [] : [skip])));
}

async function labelling(one: Installed, step: Labelling, number: number): Promise<HTMLElement> {
  const labelled = new Set((await answersOf(one.id)).filter((answer) => answer.step === number).map(({ about }) => about));
  const found = step.do === "label-pages" ? await openedPages() : await suggestedFor(step.most);
  const lines = [...found].filter(([about]) => !labelled.has(about)).slice(0, step.most).map(([about, { of, asked }]) => {
    const field = h("select", { "aria-label": `${step.question} ${about}`, onchange: () => label(about) }, h("option", { value: "" }, message("choose")), ...step.choices.map((choice) => h("option", {}, choice))) as HTMLSelectElement;
    const label = async (text: string): Promise<void> => {
      await keepAnswer({ study: one.id, step: number, time: Date.now(), about: text, of, values: { label: field.value } });
      await draw(); // without it, if she has deleted it meanwhile
    };
    const asking = asked === "" ? [] : [h("br"), h("small", {}, message("about_search", asked))];
    return h("li", {}, h("span", { class: "grow" }, outside(about, about), ...asking), field);
  });
  return section(message(step.do === "label-pages" ? "step_pages" : "step_suggestions"), h("p", {}, step.question), lines.length === 0 ? h("p", { class: "soft" }, message("nothing_to_label")) : h("ul", { class: "plain" }, ...lines));
}

/** What is labelled: the uids of the events that it tells of, and what she searched for. */
interface Labelled {
  readonly of: readonly string[];
  readonly asked: string;
}

/** Pages that she opened from results, the last one first, each with its clicks. */
async function openedPages(): Promise<Map<string, Labelled>> {
  const clicks = (await eventsOf(["result-click"])).reverse().filter(({ target }) => target !== undefined);
  const byPage = groupBy(clicks, ({ target }) => target as string);
  return new Map([...byPage].map(([page, all]) => [page, { of: all.map(({ uid }) => uid), asked: all[0]?.query ?? "" }]));
}

/** Suggestions, each with the search that they are for: they tell what she asked. */
async function suggestedFor(most: number): Promise<Map<string, Labelled>> {
  const current = (await eventsOf(["search"])).slice(-1);
  const asked = current[0]?.query ?? "";
  return new Map((await suggestionsNow(most)).map(([query]) => [query, { of: current.map(({ uid }) => uid), asked }]));
}

async function covered(mostK: number): Promise<HTMLElement> {
  const rows = coverage(await eventsOf(["search", "result-click"]), mostK).map((row) => row.map(String));
  return section(message("step_coverage"), table(["k", message("queries"), message("pairs"), message("clicks")], rows, message("coverage_caption")));
}

async function kept(one: Installed): Promise<HTMLElement> {
  const answers = await answersOf(one.id);
  const rows = answers.map((answer) => [h("time", {}, moment(answer.time)), answer.about, told(answer.values), answer.sent === undefined ? "" : moment(answer.sent), button(message("delete"), async () => { await deleteAnswer(answer.n as number); await draw(); }, "small")]);
  const made = section(message("answers"), answers.length === 0 ? h("p", { class: "soft" }, message("answers_none")) : table([message("time"), message("about"), message("answer"), message("sent_when"), ""], rows, message("answers_here")),
    ...(answers.length === 0 ? [] : [h("p", {}, button(message("answers_save"), () => download(`${one.id}.json`, JSON.stringify(answersFile(one.study, answers), null, 2))))]));
  if (one.study.upload.how === "clear") made.append(clearUpload(one, answers.filter((answer) => answer.sent === undefined)));
  return made;
}

/** What was answered, a line for each question. */
function told(values: Answer["values"]): HTMLElement {
  return h("div", {}, ...Object.entries(values).map(([name, value]) => h("div", {}, `${name}: ${value}`)));
}

/** The one place where something readable can leave, and only after she has seen it whole and ticked the box. */
function clearUpload(one: Installed, answers: readonly Answer[]): HTMLElement {
  const upload = one.study.upload as { url: string; warning: string };
  const body = answersFile(one.study, answers);
  const sure = h("input", { type: "checkbox", id: "clear" });
  const send = async (): Promise<void> => {
    if (!sure.checked) throw new Told("clear_tick");
    await withServers([upload.url], one.study.title, ANSWERS, async () => {
      await saveStudy({ ...one, clear: Date.now() });
      await callThroughGate("POST", upload.url, body);
    });
    for (const answer of answers) await keepAnswer({ ...answer, sent: Date.now() });
    await draw();
  };
  const agree = one.signing === UNSIGNED
    ? [h("p", {}, h("strong", {}, message("clear_unsigned")))]
    : answers.length === 0 ? [h("p", {}, message("clear_nothing"))]
    : [h("label", { class: "check" }, sure, message("clear_sure")), h("p", {}, button(message("clear_send"), send, "danger"))];
  return h("div", { class: "warn loud", role: "region", "aria-label": message("clear_title") }, h("h3", {}, message("clear_title")), h("p", {}, upload.warning), h("p", {}, message("clear_what", new URL(upload.url).host)), h("pre", { tabindex: 0 }, JSON.stringify(body, null, 2)), ...agree);
}

addEventListener("hashchange", () => void draw()); // another study at the same page
void draw();
