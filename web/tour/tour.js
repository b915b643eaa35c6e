// The tour: a lesson beside the page, which is in a frame and does what the buttons in the lesson's text say.
import { isSame } from "../page/engine/checker.js";
import { ownWorkers } from "../page/engine/own-workers.js";
import { FOLDER, keptTheme, showTheme, storage } from "../page/files/store.js";
import { prefixOf } from "../page/files/history.js";
import { textButton } from "../page/base/controls.js";
import { make, shorten } from "../shared/elements.js";
import { check } from "./check.js";

/** @typedef {import("../page/guide.js").Guide} Guide */
/** @typedef {import("../page/engine/checker.js").Program} Program */
/** @typedef {{ done: string[], last?: string }} Kept */

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const workers = ownWorkers();
const frame = /** @type {HTMLIFrameElement} */ (find("program"));
const lessons = [...document.querySelectorAll("article")];
const KEY = `${prefixOf(FOLDER)}tour`;
const kept = read();
let shown = lessons[0];

document.body.classList.add("js");
showTheme(keptTheme() ?? "");

/** What the frame can do, once it is loaded. @type {Promise<Guide>} */
const guide = new Promise((resolve) => {
  /** @type {any} */ (window).ezGuided = resolve;
  frame.src = "index.html?embed&guided";
});
guide.then((guide) => {
  guide.onStart = () => done(shown.id, !shown.querySelector(".check"));
  guide.onChange = () => review(guide);
});

/** Of lessons: what is said of a program, or is being found out. @type {Map<HTMLElement, { program: Program, ending: AbortController }>} */
const verdicts = new Map();
/** The lesson whose program is in the frame. @type {HTMLElement | undefined} */
let framed;

/** What was kept of earlier visits. @returns {Kept} */
function read() {
  try {
    const known = JSON.parse(storage("localStorage")?.getItem(KEY) ?? "{}");
    return { done: Array.isArray(known.done) ? known.done : [], last: known.last };
  } catch {
    return { done: [] };
  }
}

/** Keeps what there is now, with what another tab has kept. */
function keep() {
  unite();
  try {
    storage("localStorage")?.setItem(KEY, JSON.stringify(kept));
  } catch {
    // It lasts as long as the page.
  }
}

function unite() {
  kept.done = [...new Set([...read().done, ...kept.done])];
}

/** A lesson is done, if so. @param {string} id @param {boolean} isSo */
function done(id, isSo = true) {
  if (!isSo || kept.done.includes(id)) return;
  kept.done.push(id);
  keep();
  tick();
}

function tick() {
  for (const link of document.querySelectorAll("#contents a")) {
    const id = link.getAttribute("href")?.slice(1) ?? "";
    link.classList.toggle("done", kept.done.includes(id));
    if (id === shown.id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** @param {string} text Nothing: nothing is to be said any more. */
function say(text) {
  find("told").textContent = text;
  find("told").hidden = !text;
}

/** The programs of a lesson, as files. @param {HTMLElement} lesson */
const filesOf = (lesson) => [.../** @type {NodeListOf<HTMLElement>} */ (lesson.querySelectorAll("pre.program"))].map((pre) => ({ name: pre.dataset.name ?? "", text: pre.textContent ?? "" }));

async function show() {
  const asked = location.hash.slice(1);
  const known = lessons.find(({ id }) => id === asked);
  say(asked && !known ? `There is no lesson “${shorten(asked, 40)}” in this tour. All that there are stand under Contents.` : "");
  shown = known ?? lessons.find(({ id }) => id === kept.last) ?? lessons[0];
  // From the next lesson, there is a way back to this one.
  if (!asked) history.replaceState(null, "", `#${shown.id}`);
  const at = lessons.indexOf(shown);
  for (const lesson of lessons) lesson.classList.toggle("shown", lesson === shown);
  for (const [id, other] of /** @type {const} */ ([["before", lessons[at - 1]], ["after", lessons[at + 1]]])) {
    find(id).hidden = !other;
    if (other) find(id).setAttribute("href", `#${other.id}`);
  }
  find("number").textContent = `${at + 1} of ${lessons.length}`;
  document.title = `${shown.querySelector("h2")?.textContent} – Tour – EZ`;
  find("lesson").scrollTop = 0;
  scrollTo(0, 0);
  kept.last = shown.id;
  keep();
  tick();
  showContents(false);
  const lesson = shown;
  framed = undefined;
  const inFrame = await guide;
  if (lesson !== shown) return;
  inFrame.open({ files: filesOf(lesson), main: "main.ez" }, `tour ${lesson.id}`, lesson.dataset.panes ?? "");
  framed = lesson;
  // Another tab may have left another one.
  review(inFrame);
}

/** @param {boolean} isOpen */
function showContents(isOpen) {
  find("contents").hidden = !isOpen;
  find("contents-button").setAttribute("aria-expanded", String(isOpen));
}

/** Runs the program of the frame with the cases of a lesson. @param {HTMLElement} lesson @param {HTMLElement} place */
async function checkLesson(lesson, place) {
  const texts = (/** @type {string} */ kind) => [...lesson.querySelectorAll(`.case .${kind}`)].map((pre) => pre.textContent ?? "");
  const outputs = texts("output");
  const cases = texts("input").map((input, at) => ({ input, output: outputs[at] }));
  const { program: present, lead } = await guide;
  const [program, ending] = [present(), new AbortController()];
  retract(lesson);
  verdicts.set(lesson, { program, ending });
  place.replaceChildren(make("p", "", "It is run …"));
  const { isRight, told, different } = await check(workers, program, cases, ending.signal);
  if (ending.signal.aborted) return;
  if (different) told.push(textButton("Show where it was printed", () => lead(different)));
  place.classList.toggle("right", isRight);
  place.replaceChildren(...told);
  done(lesson.id, isRight);
}

/** Takes back what is said of the program in the frame, if it is another one now. @param {Guide} guide */
function review({ program }) {
  const known = framed && verdicts.get(framed);
  if (framed && known && !isSame(known.program, program())) retract(framed);
}

/** Nothing is said of the program of a lesson any more. @param {HTMLElement} lesson */
function retract(lesson) {
  verdicts.get(lesson)?.ending.abort();
  verdicts.delete(lesson);
  const place = lesson.querySelector(".told");
  place?.classList.remove("right");
  place?.replaceChildren();
}

/** Shows a solution when it is asked for twice. @param {HTMLElement} lesson @param {HTMLElement} button */
function reveal(lesson, button) {
  const solution = lesson.querySelector(".solution");
  if (button.dataset.asked) {
    const isShown = solution?.classList.toggle("shown") === true;
    button.textContent = isShown ? "Hide it" : "Show it";
    button.setAttribute("aria-expanded", String(isShown));
    return;
  }
  button.dataset.asked = "yes";
  button.textContent = "Show it";
  say("Try it once more yourself, step by step. If you want to see the solution nevertheless, press the button again.");
}

find("lesson").addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("button")) : null;
  if (!button) return;
  say("");
  if (button.classList.contains("check")) return checkLesson(shown, /** @type {HTMLElement} */ (shown.querySelector(".told")));
  if (button.classList.contains("reveal")) return reveal(shown, button);
  const { does = "", argument = "" } = button.dataset;
  const refused = (await guide).act(does, argument);
  if (refused) say(refused);
});
find("contents-button").addEventListener("click", () => showContents(find("contents").hidden));
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || find("contents").hidden) return;
  showContents(false);
  find("contents-button").focus();
});
addEventListener("hashchange", show);
addEventListener("storage", ({ key }) => {
  if (key !== KEY) return;
  unite();
  tick();
});
show();
