// The cases of the program: what it reads, what it has to print then, and whether it does.
import { ask, textButton } from "../base/controls.js";
import { filesOf, freeCaseName, isSameCase, whyNoCases } from "../files/cases.js";
import { saveFile } from "../files/disk.js";
import { whyNoExerciseOf } from "../files/workspace.js";
import { make, visible } from "../../shared/elements.js";
import { CaseRow } from "./case-row.js";

/**
 * @typedef {import("../files/cases.js").Case} Case
 * @typedef {import("../files/cases.js").Exercise} Exercise
 * @typedef {import("../engine/case-runs.js").CaseRuns} CaseRuns
 * @typedef {object} Parts
 * @property {import("../files/workspace.js").Workspace} workspace
 * @property {CaseRuns} runs
 * @property {import("../engine/last-run.js").LastRun} lastRun
 * @property {boolean} canChange Whether there can be other cases.
 * @property {boolean} isFrame Whether it is in the page of somebody else: then the exercise is what it is.
 * @property {() => Case[]} given The cases of the exercise, in a frame: they cannot be changed.
 * @property {((one: Case) => void) | undefined} lead Leads to what has printed something else, if that is possible.
 * @property {(place: { file: string, line: number, column: number }) => void} go Goes to a statement.
 * @property {(text: string) => void} say
 * @property {(what: string, undo: () => void) => void} done Tells what can be taken back.
 * @property {(title: string) => void} titled
 */

/** What was entered; fields make line ends of carriage returns, also where nothing was changed. @param {string} text @param {string} before */
const entered = (text, before) => (text === before.replace(/\r\n?/g, "\n") ? before : text);

/** @typedef {WeakMap<object, Record<string, string>>} Drafts */
const newDrafts = () => /** @type {Drafts} */ (new WeakMap());

export class Cases {
  #parts;
  #list = make("ul", "cases");
  #summary = make("p", "nothing");
  #run = textButton("Run all", () => this.#toggle());
  /** @type {Map<Case, CaseRow>} */
  #rows = new Map();
  /** What was entered when Escape was pressed: for new cases and exercises by file, for changes by case. */
  #drafts = { added: newDrafts(), changed: newDrafts(), task: newDrafts() };

  /** @param {HTMLElement} place @param {Parts} parts */
  constructor(place, parts) {
    this.#parts = parts;
    const { workspace, runs, canChange, isFrame } = parts;
    const more = !canChange ? [] : [textButton("Add a case …", () => this.#add()), textButton("Add the last run …", () => this.#addLast())];
    const own = isFrame ? [] : [textButton("Exercise …", () => this.#editTask()), textButton("Save all", () => this.#save(this.all))];
    this.#summary.setAttribute("role", "status");
    place.append(make("div", "buttons", this.#run, ...more, ...own), this.#summary, this.#list);
    workspace.on("changed", () => this.#refresh());
    runs.on("ran", () => this.#refresh());
    runs.on("finished", () => this.#rows.get(this.all.find((one) => !runs.of(one)?.isRight) ?? this.all[0])?.element.scrollIntoView({ block: "nearest" }));
    this.#refresh();
  }

  /** All cases: those of the exercise first. */
  get all() {
    const given = this.#parts.given();
    return [...given, ...this.#parts.workspace.main.cases.filter((one) => !given.some((other) => isSameCase(one, other)))];
  }

  #toggle() {
    const { runs, workspace } = this.#parts;
    if (runs.isRunning) return runs.stop();
    if (!this.all.length) return this.#parts.say("There are no cases yet: add one first.");
    runs.run(workspace.program(), this.all);
  }

  #refresh() {
    const { runs } = this.#parts;
    const { all } = this;
    this.#rows = new Map(all.map((one) => [one, this.#rows.get(one) ?? this.#row(one)]));
    for (const [one, row] of this.#rows) row.show(runs.of(one), runs.isOld(one), runs.current === one);
    const elements = [...this.#rows.values()].map(({ element }) => element);
    // What has the focus keeps it.
    if (elements.length !== this.#list.childElementCount || elements.some((element, at) => this.#list.children[at] !== element)) this.#list.replaceChildren(...elements);
    const known = all.filter((one) => runs.of(one) && !runs.isOld(one));
    const passed = known.filter((one) => runs.of(one)?.isRight).length;
    const isKnown = all.length > 0 && known.length === all.length && !runs.isRunning;
    this.#run.textContent = runs.isRunning ? "Stop the cases" : "Run all";
    this.#parts.titled(!all.length ? "Cases" : isKnown ? `Cases (${passed} of ${all.length})` : `Cases (${all.length})`);
    const empty = "No cases yet. A case is what the program reads, and what it has to print then.";
    const text = !all.length ? empty : isKnown ? `${passed} of ${all.length} ${all.length === 1 ? "case" : "cases"} passed.` : runs.isRunning ? "The cases are run …" : "";
    if (this.#summary.textContent !== text) this.#summary.textContent = text;
  }

  /** @param {Case} one */
  #row(one) {
    const { lead, go, canChange, isFrame } = this.#parts;
    const isOwn = canChange && !this.#parts.given().includes(one);
    const choices = () => [
      ...(isOwn ? [{ text: "Change …", action: () => this.#change(one) }, { text: "Remove", action: () => this.#remove(one) }] : []),
      ...(isFrame ? [] : [{ text: "Save", hint: filesOf(one).map(({ name }) => visible(name)).join(", "), action: () => this.#save([one]) }]),
    ];
    return new CaseRow(one, choices, lead && (() => lead(one)), go);
  }

  #add() {
    this.#edit("New case", { name: freeCaseName(this.all), input: "", output: "" }, (one) => [...this.#own, one], this.#drafts.added);
  }

  #addLast() {
    const { workspace, lastRun } = this.#parts;
    const texts = lastRun.of(workspace.main);
    if (typeof texts === "string") return this.#parts.say(texts);
    this.#edit(`New case, from the last run${lastRun.about}`, { name: freeCaseName(this.all), ...texts }, (one) => [...this.#own, one]);
  }

  /** @param {Case} before */
  #change(before) {
    this.#edit(`Change case ${visible(before.name)}`, before, (one) => this.#own.map((other) => (other === before ? one : other)), this.#drafts.changed, before);
  }

  get #own() {
    return this.#parts.workspace.main.cases;
  }

  /**
   * Asks for a case.
   * @param {string} title @param {Case} before @param {(one: Case) => Case[]} result The cases with it.
   * @param {Drafts} [drafts] Where what was entered is kept after Escape. @param {object} [of] Under what there.
   */
  #edit(title, before, result, drafts, of) {
    const { main } = this.#parts.workspace;
    const fields = [
      { name: "name", label: "Name", value: before.name },
      { name: "input", label: "What the program reads", value: before.input, rows: 4 },
      { name: "output", label: "What it has to print", value: before.output, rows: 6, hint: "Blanks at the ends of lines do not count. What is typed is no part of what is printed." },
    ];
    this.#ask(title, fields, drafts, of ?? main, ({ name, input, output }) => {
      const cases = result({ name: name.trim(), input: entered(input, before.input), output: entered(output, before.output) });
      const given = this.#parts.given().filter((one) => !cases.some((other) => isSameCase(one, other)));
      return whyNoCases([...given, ...cases]) ?? this.#set(main, { cases });
    });
  }

  /**
   * @param {string} title @param {(import("../base/controls.js").Field & { value: string })[]} fields @param {Drafts | undefined} drafts @param {object} of
   * @param {(values: Record<string, string>) => string | undefined} take Returns why not.
   */
  #ask(title, fields, drafts, of, take) {
    const draft = drafts?.get(of);
    ask({
      title, button: "Keep it",
      fields: fields.map((field) => ({ ...field, value: draft?.[field.name] ?? field.value, before: field.value })),
      escaped: (values) => { drafts?.set(of, values); },
      take,
    });
    drafts?.delete(of);
  }

  /** @param {Case} one */
  #remove(one) {
    const { workspace: { main }, done } = this.#parts;
    const before = main.cases;
    this.#set(main, { cases: before.filter((other) => other !== one) });
    done(`Case ${one.name} is removed.`, () => this.#set(main, { cases: before }));
  }

  #editTask() {
    const { workspace: { main } } = this.#parts;
    const fields = [{ name: "task", label: "What the program has to do", value: main.task, rows: 8, hint: "It is shown above the program, also in links and frames. It is a plain text." }];
    this.#ask("Exercise", fields, this.#drafts.task, main, ({ task }) => this.#set(main, { task: task.trim() }));
  }

  /**
   * Gives a file other cases, or another exercise.
   * @param {import("../files/workspace.js").File} file @param {Partial<Exercise>} exercise @returns {string | undefined} Why not.
   */
  #set(file, exercise) {
    const { workspace } = this.#parts;
    const why = whyNoExerciseOf(workspace, file, exercise);
    if (why) return why;
    workspace.setExercise(file, exercise);
  }

  /** @param {Case[]} cases */
  #save(cases) {
    if (!cases.length) return this.#parts.say("There are no cases yet: add one first.");
    for (const { name, text } of cases.flatMap(filesOf)) saveFile(name, text);
  }
}
