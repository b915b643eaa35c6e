// Shows in the editor where the program is.
import { setBeside, setExecution, setPart } from "../editor/execution.js";
import { isChanged, lineInText } from "../editor/loaded.js";
import { positionOf, rangeOf } from "../editor/places.js";

/**
 * @typedef {import("../engine/debuggee.js").Debuggee} Debuggee
 * @typedef {import("../files/workspace.js").Workspace} Workspace
 * @typedef {import("../files/workspace.js").File} File
 * @typedef {import("../editor/editor.js").Editor} Editor
 * @typedef {import("../editor/places.js").Place & { file?: string }} Where
 * @typedef {import("../../../examples/typescript/protocol.ts").Variable} Variable
 */

const NAME = /[\p{L}_][\p{L}\p{N}_]*/gu;

export class Position {
  #debuggee;
  #workspace;
  #editor;
  /** The file in which something is shown. @type {File | undefined} */
  #marked;
  /** @type {File | undefined} */
  #parted;

  /** @param {Debuggee} debuggee @param {Workspace} workspace @param {Editor} editor */
  constructor(debuggee, workspace, editor) {
    this.#debuggee = debuggee;
    this.#workspace = workspace;
    this.#editor = editor;
    debuggee.on("stopped", ({ location }) => this.#here(location));
    // Now it is known where the statement ends.
    debuggee.on("settled", ({ location }) => this.#here({ ...debuggee.frames[0], ...location }));
    debuggee.on("frame", (index) => {
      const frame = debuggee.frames[index];
      if (frame) this.#show(frame, index === 0 ? this.#kind() : "caller");
    });
    debuggee.on("changed", () => { if (debuggee.status === "loading" || debuggee.status === "running") this.clear(); });
    debuggee.on("report", (problem) => { if (problem.location && problem.severity !== "warning") this.#error(problem.location, problem.message); });
    debuggee.on("ended", ({ how }) => { if (how === "stopped") this.clear(); });
  }

  /** Shows nothing. */
  clear() {
    if (this.#marked) this.#editor.change(this.#marked, { effects: setExecution.of(null) });
    this.#marked = undefined;
    this.part(undefined);
  }

  /** Writes the values of the variables that are named in the line beside it. @param {Variable[]} variables */
  beside(variables) {
    const file = this.#marked;
    const { stop, frames, frameIndex } = this.#debuggee;
    const place = frames[frameIndex];
    if (!file || !place || !stop || stop.reason === "exception" || isChanged(file.state)) return;
    const names = file.state.doc.line(Math.min(place.line, file.state.doc.lines)).text.match(NAME) ?? [];
    const shown = [...new Set(names)].flatMap((name) => variables.find((variable) => variable.name === name) ?? []);
    const text = shown.map(({ name, value }) => `${name} = ${value}`).join(", ");
    this.#editor.change(file, { effects: setBeside.of(text.length > 120 ? text.slice(0, 119) + "…" : text) });
  }

  /** Goes to a place. @param {Where} where */
  go(where) {
    const file = this.#workspace.at(where.file);
    if (!file) return;
    this.#workspace.show(file);
    const line = lineInText(file.state, where.line);
    this.#editor.reveal(positionOf(file.state.doc, line, where.column), true);
  }

  /** Marks a part of the text, or nothing. @param {Where | undefined} where */
  part(where) {
    if (this.#parted) this.#editor.change(this.#parted, { effects: setPart.of(null) });
    const file = where && this.#workspace.at(where.file);
    this.#parted = file;
    if (!file || isChanged(file.state)) return;
    const range = rangeOf(file.state.doc, where);
    this.#workspace.show(file);
    this.#editor.change(file, { effects: setPart.of(range) });
    this.#editor.reveal(range.from);
  }

  /** @param {Where} where */
  #here(where) {
    const { stop } = this.#debuggee;
    this.#show(where, this.#kind(), stop?.reason === "exception" ? stop.description : "");
  }

  #kind() {
    const { stop } = this.#debuggee;
    return stop?.reason === "exception" ? "error" : stop?.past ? "past" : "present";
  }

  /** @param {Where} location @param {string} message */
  #error(location, message) {
    // What is wrong in the text is shown as a problem.
    if (this.#debuggee.status !== "loading") this.#show(location, "error", message);
  }

  /** @param {Where} where @param {import("../editor/execution.js").Execution["kind"]} kind @param {string} beside */
  #show(where, kind, beside = "") {
    const file = this.#workspace.at(where.file);
    if (this.#marked && this.#marked !== file) this.clear();
    if (!file) return;
    const { state } = file;
    const line = lineInText(state, where.line);
    const range = isChanged(state) || kind === "error" ? undefined : this.#statement(file, where);
    this.#marked = file;
    this.#workspace.show(file);
    this.#editor.change(file, { effects: setExecution.of({ line, kind, range, beside }) });
    this.#editor.reveal(state.doc.line(line).from);
  }

  /** The statement at a place, as far as its end is known. @param {File} file @param {Where} where */
  #statement(file, where) {
    if (where.endLine === undefined) return undefined;
    return rangeOf(file.state.doc, where);
  }
}
