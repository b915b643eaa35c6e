// The files of the program: which are there, which is run, which is shown.
import { Emitter } from "../base/emitter.js";
import { plainExercise, sizeOf, whyNoExercise } from "./cases.js";
import { number, shorten, visible } from "../../shared/elements.js";

/**
 * @typedef {import("./cases.js").Case} Case
 * @typedef {import("./cases.js").Exercise} Exercise
 */

/**
 * A file that is open. Its text and breakpoints are in its state. `given` is the sum (`sumOf`) of what nobody has written
 * here: that of an example or a link.
 * @typedef {{ name: string, given?: string, cases: Case[], task: string, state: import("@codemirror/state").EditorState }} File
 * @typedef {{ line: number, options: import("../editor/breakpoints.js").Options }} SavedBreakpoint
 * @typedef {{ text: string, breakpoints?: SavedBreakpoint[] }} SavedText
 * @typedef {SavedText & Exercise & { name: string, given?: string }} SavedFile
 */

/**
 * All files, as they are kept and passed on. `main` and `shown` are names.
 * @typedef {{ files: SavedFile[], main: string, shown?: string }} Content
 */

/** The files themselves, in their order: what `arrange` brings back. @typedef {{ files: File[], main: File, shown: File }} Arrangement */

/**
 * How texts become states, and states texts.
 * @typedef {object} States
 * @property {(text: SavedText) => File["state"]} open
 * @property {(state: File["state"]) => SavedText} save
 */

/** How much text a program may have, in characters: what is larger is no program of a lesson. */
export const MOST_TEXT = 2 << 20;
export const TOO_LONG = `It is too long: there can be ${number(MOST_TEXT)} characters at most.`;
const MOST_FILES = 50;

/** A file has an unusable name. */
export class WrongName extends Error {}

/**
 * Whether something that was read from elsewhere is the content of a workspace.
 * @param {any} value @returns {value is Content}
 */
export function isContent(value) {
  return whyNoContent(value) === undefined;
}

/** Why something that was read from elsewhere is not the content of a workspace, in a sentence. @param {any} value */
export function whyNoContent(value) {
  const isFile = (/** @type {any} */ file) => file && typeof file.name === "string" && typeof file.text === "string";
  if (!Array.isArray(value?.files) || value.files.length === 0 || !value.files.every(isFile)) return "There is no program in it.";
  const files = /** @type {SavedFile[]} */ (value.files);
  if (files.length > MOST_FILES) return `It has ${number(files.length)} files; there can be ${MOST_FILES} at most.`;
  const wrong = files.find(({ name }) => !isUsable(name));
  if (wrong) return `"${shorten(visible(wrong.name), 60)}" cannot be the name of a file.`;
  const twice = files.find(({ name }, at) => files.findIndex((one) => one.name === name) !== at);
  if (twice) return `It has two files ${shorten(visible(twice.name), 60)}.`;
  const whyNot = files.map(whyNoExercise).find(Boolean);
  if (whyNot) return whyNot;
  if (files.reduce((sum, file) => sum + file.text.length + sizeOf(file), 0) > MOST_TEXT) return TOO_LONG;
}

/**
 * Why a file of a workspace cannot have these cases, or this exercise, in a sentence.
 * @param {Workspace} workspace @param {File} file @param {Exercise} exercise What is not there stays.
 */
export function whyNoExerciseOf(workspace, file, exercise) {
  const content = workspace.content();
  const why = whyNoContent({ ...content, files: content.files.map((one) => (one.name === file.name ? { ...one, ...exercise } : one)) });
  // What is too long already can be made shorter.
  return whyNoContent(content) === undefined ? why : undefined;
}

/** Whether a name is that of a file in the program's folder. @param {string} name */
function isUsable(name) {
  const parts = name.split("/");
  return name.length <= 200 && !/[\u0000-\u001f\\]/.test(name) && parts.every((part) => part.trim() !== "" && part !== "." && part !== "..");
}

/**
 * `replaced`: a file has a text that was not written here.
 * @extends {Emitter<{ changed: undefined, shown: File, replaced: undefined }>}
 */
export class Workspace extends Emitter {
  /** @type {File[]} */
  files = [];
  /** The program that is run. @type {File} */
  main;
  /** @type {File} */
  shown;
  #states;
  /** What was started last, by path. Files may have other names since, or be gone. @type {Map<string, File>} */
  #loaded = new Map();

  /** @param {States} states @param {Content} content */
  constructor(states, content) {
    super();
    this.#states = states;
    this.files = content.files.map((file) => this.#open(file));
    this.main = this.#named(content.main) ?? this.files[0];
    this.shown = this.#named(content.shown ?? "") ?? this.main;
  }

  /** Opens other files instead of those that are open. @param {Content} content */
  replace(content) {
    const files = content.files.map((file) => this.#open(file));
    const named = (/** @type {string | undefined} */ name) => files.find((file) => file.name === name);
    const main = named(content.main) ?? files[0];
    this.arrange({ files, main, shown: named(content.shown) ?? main });
  }

  /** Which files there are, which is run, and which is shown. @returns {Arrangement} */
  get arrangement() {
    const { files, main, shown } = this;
    return { files: [...files], main, shown };
  }

  /** Opens exactly these files. @param {Arrangement} arrangement */
  arrange({ files, main, shown }) {
    const isReplaced = this.files.some((file) => !files.includes(file));
    [this.files, this.main] = [[...files], main];
    if (isReplaced) this.emit("replaced", undefined);
    this.emit("changed", undefined);
    this.show(shown);
  }

  /** Adds a file, or replaces one that is there: its cases and its exercise stay, if there are no others. @param {SavedFile} saved @returns {File} */
  add(saved) {
    this.#check(saved.name);
    const at = this.files.findIndex((other) => other.name === saved.name);
    if (at < 0 && this.files.length >= MOST_FILES) throw new WrongName(`There can be ${MOST_FILES} files at most.`);
    const { cases, task } = this.files[at] ?? {};
    const file = this.#open({ ...saved, cases: saved.cases ?? cases, task: saved.task ?? task });
    if (at < 0) this.files.push(file);
    else {
      if (this.main === this.files[at]) this.main = file;
      this.files[at] = file;
      this.emit("replaced", undefined);
    }
    this.emit("changed", undefined);
    return file;
  }

  /** Takes a file out of the program; the last one stays. @param {File} file */
  remove(file) {
    if (this.files.length < 2) return;
    this.files = this.files.filter((other) => other !== file);
    if (this.main === file) this.main = this.files[0];
    this.emit("changed", undefined);
    if (this.shown === file) this.show(this.main);
  }

  /** @param {File} file @param {string} name @throws {WrongName} */
  rename(file, name) {
    if (name === file.name) return;
    this.#check(name);
    if (this.#named(name)) throw new WrongName(`There is already a file ${name}.`);
    file.name = name;
    this.emit("changed", undefined);
  }

  /** @param {File} file */
  show(file) {
    if (this.shown === file) return;
    this.shown = file;
    this.emit("shown", file);
  }

  /** Chooses the file that is run. @param {File} file */
  setMain(file) {
    this.main = file;
    this.emit("changed", undefined);
  }

  /** Gives a file other cases, or another exercise. @param {File} file @param {Exercise} exercise What is not there stays. */
  setExercise(file, exercise) {
    Object.assign(file, exercise);
    this.emit("changed", undefined);
  }

  /** The file that has this path now. @param {string | undefined} path */
  at(path) {
    return this.#named((path ?? "").replace(/^\//, ""));
  }

  /** From here on, the engine speaks of these files by their present paths. */
  load() {
    this.#loaded = new Map(this.files.map((file) => [`/${file.name}`, file]));
  }

  /** The file that the engine knows by a path, if it is open, whatever its name is now. @param {string | undefined} path */
  loadedAt(path) {
    const file = this.#loaded.get((path ?? "").replace(/^\/?/, "/"));
    return file && this.files.includes(file) ? file : undefined;
  }

  /** The path by which the engine knows a file, if it does. @param {File} file */
  loadedPath(file) {
    for (const [path, one] of this.#loaded) if (one === file) return path;
  }

  /** The paths by which the engine knows files. */
  get loadedPaths() {
    return [...this.#loaded.keys()];
  }

  /** Whether a file that was started is gone, or has another name. */
  get isRearranged() {
    return this.loadedPaths.some((path) => this.loadedAt(path)?.name !== path.slice(1));
  }

  /** The texts by path, and which is run. @returns {import("../engine/checker.js").Program} */
  program() {
    return {
      files: Object.fromEntries(this.files.map((file) => [`/${file.name}`, this.#states.save(file.state).text])),
      main: `/${this.main.name}`,
    };
  }

  /** All that is kept. @returns {Content} */
  content() {
    return { files: this.files.map((file) => this.saved(file)), main: this.main.name, shown: this.shown.name };
  }

  /** A file as it is kept. @param {File} file @returns {SavedFile} */
  saved({ name, given, state, ...exercise }) {
    return { name, given, ...plainExercise(exercise), ...this.#states.save(state) };
  }

  /** A name that no file has. */
  freeName() {
    for (let number = this.files.length + 1; ; number++) {
      const name = `file${number}.ez`;
      if (!this.#named(name)) return name;
    }
  }

  /** @param {string} name */
  #named(name) {
    return this.files.find((file) => file.name === name);
  }

  /** @param {string} name */
  #check(name) {
    if (!isUsable(name)) throw new WrongName(`"${name}" cannot be the name of a file.`);
  }

  /** @param {SavedFile} saved @returns {File} */
  #open({ name, given, text, breakpoints, cases = [], task = "" }) {
    return { name, given, cases, task, state: this.#states.open({ text: text.replace(/^\ufeff/, ""), breakpoints }) };
  }
}
