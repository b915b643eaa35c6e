// Shows in the editor where the program is.
import { setExecution, setPart } from "../editor/execution.js";
import { shorten } from "../../shared/elements.js";
import { isChanged, lineInText } from "../editor/loaded.js";
import { positionOf, rangeOf } from "../editor/places.js";
import { intoSight } from "../editor/editor.js";

/**
 * @typedef {import("../engine/debuggee.js").Debuggee} Debuggee
 * @typedef {import("../files/workspace.js").Workspace} Workspace
 * @typedef {import("../files/workspace.js").File} File
 * @typedef {import("../editor/editor.js").Editor} Editor
 * @typedef {import("../editor/places.js").Place & { file?: string }} Where
 * @typedef {import("../../../examples/typescript/protocol.ts").Variable} Variable
 */

/** How many characters are beside a line at most. */
const MOST_BESIDE = 120;

/**
 * What is to be shown: a place, how, and the text beside it.
 * @typedef {{ file: File, where: Where, kind: import("../editor/execution.js").Execution["kind"], beside: string }} Wanted
 */

/** What is said of a file that is not there any more. @param {string} path */
export const goneText = (path) => `${path.replace(/^\//, "")} is not there any more: it was removed since the program was started.`;

const NAME = /[\p{L}_][\p{L}\p{N}_]*/gu;

export class Position {
  #debuggee;
  #workspace;
  #editor;
  #say;
  /** @type {Wanted | undefined} */
  #wanted;
  /** The file in which something is shown. @type {File | undefined} */
  #marked;
  /** @type {File | undefined} */
  #parted;
  #isScheduled = false;

  /**
   * @param {Debuggee} debuggee @param {Workspace} workspace @param {Editor} editor
   * @param {(text: string) => void} say Told why a place cannot be shown.
   */
  constructor(debuggee, workspace, editor, say) {
    this.#say = say;
    this.#debuggee = debuggee;
    this.#workspace = workspace;
    this.#editor = editor;
    // By then it is known where the statement ends.
    debuggee.on("settled", ({ location }) => {
      this.#here({ ...debuggee.frames[0], ...location });
      if (debuggee.variables) this.beside(debuggee.variables);
      this.#show();
    });
    debuggee.on("frame", (index) => {
      const frame = debuggee.frames[index];
      if (!frame) return;
      this.#find(frame);
      this.#want(frame, index === 0 ? this.#kind() : "caller");
    });
    debuggee.on("changed", () => { if (debuggee.status === "loading" || debuggee.status === "running") this.clear(); });
    debuggee.on("report", (problem) => { if (problem.location && problem.severity !== "warning") this.#error(problem.location, problem.message); });
    // What is left is the error that has ended the program.
    debuggee.on("ended", ({ how }) => { if (how !== "exited" || this.#wanted?.kind !== "error") this.clear(); });
  }

  /** Shows nothing. */
  clear() {
    this.#wanted = undefined;
    this.#schedule();
    this.part(undefined);
  }

  /** Writes the values of the variables that are named in the line beside it. @param {Variable[]} variables */
  beside(variables) {
    const wanted = this.#wanted;
    if (!wanted || wanted.kind === "error" || isChanged(wanted.file.state)) return;
    const { doc } = wanted.file.state;
    const names = doc.line(Math.min(wanted.where.line, doc.lines)).text.match(NAME) ?? [];
    const shown = [...new Set(names)].flatMap((name) => variables.find((variable) => variable.name === name) ?? []);
    const beside = shorten(shown.map(({ name, value }) => `${name} = ${value}`).join(", "), MOST_BESIDE);
    if (beside === wanted.beside) return;
    wanted.beside = beside;
    this.#schedule();
  }

  /** Goes to a place of the text as it is now. @param {Where} where */
  go(where) {
    const file = this.#workspace.at(where.file);
    if (file) this.#choose(file, where.line, where.column);
  }

  /** Goes to a place of the program that was started. @param {Where} where */
  goInLoaded(where) {
    const file = this.#find(where);
    if (file) this.#choose(file, lineInText(file.state, where.line), where.column);
  }

  /** @param {File} file @param {number} line @param {number} column */
  #choose(file, line, column) {
    this.#workspace.show(file);
    this.#editor.choose(positionOf(file.state.doc, line, column));
  }

  /** The file of a place of the program that was started; says if it is not there any more. @param {Where} where */
  #find({ file }) {
    const found = this.#workspace.loadedAt(file);
    if (file && !found) this.#say(goneText(file));
    return found;
  }

  /** Marks a part of the text, or nothing. @param {Where | undefined} where */
  part(where) {
    if (this.#parted) this.#editor.change(this.#parted, { effects: setPart.of(null) });
    const file = where && this.#workspace.loadedAt(where.file);
    this.#parted = file;
    if (!file || isChanged(file.state)) return;
    const range = rangeOf(file.state.doc, where);
    this.#workspace.show(file);
    this.#editor.change(file, { effects: [setPart.of(range), intoSight(range.from)] });
  }

  /** @param {Where} where */
  #here(where) {
    const { stop } = this.#debuggee;
    this.#want(where, this.#kind(), stop?.reason === "exception" ? stop.description : "");
  }

  #kind() {
    const { stop } = this.#debuggee;
    return stop?.reason === "exception" ? "error" : stop?.past ? "past" : "present";
  }

  /** @param {Where} location @param {string} message */
  #error(location, message) {
    // What is wrong in the text is shown as a problem.
    if (this.#debuggee.status !== "loading") this.#want(location, "error", message);
  }

  /** @param {Where} where @param {Wanted["kind"]} kind @param {string} beside */
  #want(where, kind, beside = "") {
    const file = this.#workspace.loadedAt(where.file);
    this.#wanted = file && { file, where, kind, beside };
    this.#schedule();
  }

  /** Changes what is shown when all of this moment is known. */
  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => { if (this.#isScheduled) this.#show(); });
  }

  #show() {
    this.#isScheduled = false;
    const wanted = this.#wanted;
    if (this.#marked && this.#marked !== wanted?.file) this.#editor.change(this.#marked, { effects: setExecution.of(null) });
    this.#marked = wanted?.file;
    if (!wanted) return;
    const { file, where, kind, beside } = wanted;
    const { state } = file;
    const line = lineInText(state, where.line);
    const range = isChanged(state) || kind === "error" || where.endLine === undefined ? undefined : rangeOf(state.doc, where);
    this.#workspace.show(file);
    this.#editor.change(file, { effects: [setExecution.of({ line, kind, range, beside }), intoSight(state.doc.line(line).from)] });
  }
}
