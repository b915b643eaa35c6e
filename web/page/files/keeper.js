// Keeps what is written: the program of this page from visit to visit, and each text that is replaced, removed, or older
// than what another page shows. It knows nothing of the document.
import { isSameCase, whyNoCases, wholeOf, withCases } from "./cases.js";
import { whyNoExerciseOf, WrongName } from "./workspace.js";
import { asGiven, contentIn, isOwn, isOwnFile, OLD_PROGRAM, prefixOf, sumOf } from "./history.js";

/**
 * @typedef {import("./cases.js").Case} Case
 * @typedef {import("./workspace.js").Content} Content
 * @typedef {import("./workspace.js").File} File
 * @typedef {import("./workspace.js").SavedFile} SavedFile
 * @typedef {import("./workspace.js").Workspace} Workspace
 * @typedef {import("./history.js").Entry} Entry
 * @typedef {() => void} Undo Takes an action back. Possible until something is written.
 */

/** What a tab of the browser shows when it is loaded again. */
export class TabStore {
  #storage;
  #key;

  /** @param {Storage | undefined} storage That of the tab, if the browser allows it. @param {string} folder That of the page. */
  constructor(storage, folder) {
    this.#storage = storage;
    this.#key = `${prefixOf(folder)}program`;
  }

  /** @returns {Content | undefined} */
  read() {
    return this.#storage && (contentIn(this.#storage, this.#key) ?? contentIn(this.#storage, OLD_PROGRAM));
  }

  /** @param {Content} content */
  write(content) {
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(content));
    } catch {
      // What was written is kept in the history.
    }
  }
}

export class Keeper {
  #workspace;
  #history;
  #tab;
  /** The key of what was written here, once something was. @type {string | undefined} */
  #key;
  /** The exercise in which it is written. @type {string | undefined} */
  #link;
  /** What is kept already, and under which key, if something was written in it. */
  #known = "";
  /** @type {string | undefined} */
  #kept;
  /** What was there before programs that nobody has written. @type {import("./workspace.js").Arrangement | undefined} */
  #before;

  /**
   * @param {Workspace} workspace @param {import("./history.js").LocalHistory} history
   * @param {TabStore} [tab] Nothing in a frame, where each link has a program of its own.
   */
  constructor(workspace, history, tab) {
    this.#workspace = workspace;
    this.#history = history;
    this.#tab = tab;
    const content = workspace.content();
    const isWritten = isOwn(content);
    if (isWritten) this.#kept = history.keyOf(content);
    if (!isWritten || this.#kept) this.#known = printOf(content);
  }

  /** Keeps the program as it is, if something was changed here, and what could not be kept before. @returns {import("./history.js").Why | undefined} Why not. */
  save() {
    const content = this.#workspace.content();
    this.#tab?.write(content);
    const earlier = this.#history.retry(this.#key);
    if (!isOwn(content) || this.#isKept(content)) return earlier;
    const why = this.#write(content);
    [this.#known, this.#kept] = why ? [""] : [printOf(content), this.#key];
    return why ?? earlier;
  }

  /** Shows another program, which nobody has written here. @param {Content} content @returns {Undo} */
  replace(content) {
    return this.#show(asGiven(content));
  }

  /**
   * Shows the program of a link as it was left here, if it was; that of the link else.
   * @param {Content} content @param {string} fragment @returns {boolean} Whether something was written in it.
   */
  openExercise(content, fragment) {
    this.#seal();
    this.#link = sumOf(fragment);
    const own = this.#history.newest(this.#link);
    this.#workspace.replace(own?.content ?? asGiven(content));
    [this.#known, this.#kept] = [printOf(this.#workspace.content()), own?.key];
    return own !== undefined;
  }

  /** Brings back what was there. @param {Entry} entry @returns {{ undo: Undo, wrong?: string }} `wrong`: why it cannot be. */
  restore({ isPart, content }) {
    if (!isPart) return { undo: this.#show(content) };
    const before = this.#workspace.arrangement;
    const { first, wrong } = this.#add(content.files);
    if (first) this.#workspace.show(first);
    return { undo: () => this.#undo(before), wrong };
  }

  /** Takes a file out of the program. @param {File} file @returns {Undo} */
  remove(file) {
    const before = this.#workspace.arrangement;
    this.#keepFile(file);
    this.#workspace.remove(file);
    return () => this.#undo(before);
  }

  /**
   * Opens files, also in place of those with the same names, and shows the first one, which is run from now on.
   * @param {SavedFile[]} files
   * @returns {{ undo: Undo, replaced: string[], wrong?: string }} Which were replaced; why not all were opened.
   */
  open(files) {
    const before = this.#workspace.arrangement;
    const { first, replaced, wrong } = this.#add(files);
    if (first) {
      this.#workspace.setMain(first);
      this.#workspace.show(first);
    }
    return { undo: () => this.#undo(before), replaced, wrong };
  }

  /**
   * Gives the program that is run cases, also in place of those with the same names.
   * @param {Case[]} found @returns {{ undo?: Undo, wrong?: string }} `wrong`: why it has not got them.
   */
  openCases(found) {
    const workspace = this.#workspace;
    const { main } = workspace;
    const before = main.cases;
    const cases = withCases(before, found);
    const wrong = whyNoCases(cases) ?? whyNoExerciseOf(workspace, main, { cases });
    if (wrong) return { wrong };
    if (before.some((one) => !cases.some((other) => isSameCase(one, other)))) this.#keepFile(main);
    workspace.setExercise(main, { cases });
    return { undo: () => workspace.setExercise(main, { cases: before }) };
  }

  /** What was written here and is not shown, the newest first. */
  earlier() {
    return this.#history.list(this.#workspace.content(), this.#key);
  }

  /** Of that, what was written in this exercise; where there is none, all. */
  earlierHere() {
    return this.earlier().filter(({ link }) => this.#link === undefined || link === this.#link);
  }

  /** @param {Entry} entry */
  forget({ key }) {
    this.#history.remove(key);
  }

  /** @param {SavedFile[]} files */
  #add(files) {
    /** @type {string[]} */
    const replaced = [];
    /** @type {File | undefined} */
    let first;
    let wrong;
    try {
      for (const saved of files) {
        const known = this.#workspace.at(saved.name);
        const before = known && this.#workspace.saved(known);
        const isSame = before && wholeOf({ ...before, ...saved }) === wholeOf(before);
        if (known && !isSame) {
          this.#keepFile(known);
          replaced.push(saved.name);
        }
        const file = isSame ? known : this.#workspace.add(saved);
        first ??= file;
      }
    } catch (error) {
      if (!(error instanceof WrongName)) throw error;
      wrong = error.message;
    }
    return { first, replaced, wrong };
  }

  /** @param {Content} content @returns {Undo} */
  #show(content) {
    const { arrangement } = this.#workspace;
    if (this.#seal() || !this.#before) this.#before = arrangement;
    this.#workspace.replace(content);
    const before = this.#before;
    return () => this.#undo(before);
  }

  /** @param {import("./workspace.js").Arrangement} before */
  #undo(before) {
    const lost = this.#workspace.files.filter((file) => !before.files.includes(file));
    if (lost.length === this.#workspace.files.length) this.#seal();
    else for (const file of lost) this.#keepFile(file);
    this.#before = undefined;
    this.#known = "";
    this.#workspace.arrange(before);
  }

  /** What was written stays as it is now; what is written from now on is another program. @returns {boolean} Whether something was. */
  #seal() {
    const content = this.#workspace.content();
    const isWritten = isOwn(content);
    if (isWritten && !this.#history.keyOf(content)) this.#write(content);
    this.#key = this.#kept = undefined;
    this.#known = "";
    return isWritten;
  }

  /** Keeps a file that is about to go. @param {File} file */
  #keepFile(file) {
    const saved = this.#workspace.saved(file);
    if (!isOwnFile(saved)) return;
    const what = { isPart: true, link: this.#link, content: { files: [saved], main: saved.name } };
    // What is kept of the program has the file: if there is no room, it stays.
    if (this.#history.write(this.#history.newKey(), what)) this.#key = undefined;
  }

  /** Whether a program is kept as it is: another page may have removed it. @param {Content} content */
  #isKept(content) {
    if (printOf(content) !== this.#known) return false;
    if (this.#kept && this.#history.isGone(this.#kept)) this.#kept = this.#history.keyOf(content);
    return this.#kept !== undefined;
  }

  /** @param {Content} content */
  #write(content) {
    this.#key ??= this.#history.newKey();
    return this.#history.write(this.#key, { content, link: this.#link });
  }
}

/** By which it is seen whether a program was changed; not by which file is looked at. @param {Content} content */
const printOf = ({ files, main }) => JSON.stringify({ files, main });
