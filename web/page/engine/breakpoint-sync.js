// Keeps the breakpoints of the engine the same as those in the editor.
import { breakpointsOf, tellBreakpoints } from "../editor/breakpoints.js";
import { lineInLoaded } from "../editor/loaded.js";

/**
 * @typedef {import("./debuggee.js").Debuggee} Debuggee
 * @typedef {import("../files/workspace.js").File} File
 * @typedef {import("../../../examples/typescript/protocol.ts").Breakpoint} Breakpoint
 * @typedef {import("./debuggee.js").Setup["breakpoints"][string]} Requested
 */

export class BreakpointSync {
  #debuggee;
  #workspace;
  #editor;
  #say;
  /** What was asked for last, by path. @type {Map<string, string>} */
  #sent = new Map();

  /**
   * @param {Debuggee} debuggee
   * @param {import("../files/workspace.js").Workspace} workspace
   * @param {import("../editor/editor.js").Editor} editor
   * @param {(text?: string) => void} say Tells the user why a breakpoint is never hit; without a text, that none is known.
   */
  constructor(debuggee, workspace, editor, say) {
    this.#debuggee = debuggee;
    this.#workspace = workspace;
    this.#editor = editor;
    this.#say = say;
    editor.on("breakpoints", (file) => this.changed(file));
    debuggee.on("event", ({ event, data, id }) => {
      if (event === "breakpoints" && data.file) this.#tell(data.file, data.breakpoints);
      else if (event === "breakpointChanged" && id === undefined && data.breakpoint.file) this.#askAgain(data.breakpoint.file);
    });
    // They may have been changed while the program was loaded.
    debuggee.on("changed", () => this.#follow());
    workspace.on("changed", () => this.#follow());
    debuggee.on("ended", () => { for (const file of workspace.files) this.#forget(file); });
  }

  /** The breakpoints of all files, for the start of a program. @returns {Record<string, Requested>} */
  all() {
    this.#sent.clear();
    const all = Object.fromEntries(this.#workspace.files.map((file) => [`/${file.name}`, requested(file)]));
    for (const [path, breakpoints] of Object.entries(all)) this.#sent.set(path, JSON.stringify(breakpoints));
    return all;
  }

  /** None, for a program that is led to a place: they are set when it is there. @returns {Record<string, Requested>} */
  later() {
    this.#sent.clear();
    return {};
  }

  /** The breakpoints of a file may have changed. @param {File} file */
  changed(file) {
    const path = this.#workspace.loadedPath(file);
    if (path !== undefined) this.#send(path, requested(file));
  }

  /** Files may have come back, or be gone: then nobody sees where their breakpoints are. */
  #follow() {
    for (const path of this.#workspace.loadedPaths) {
      const file = this.#workspace.loadedAt(path);
      this.#send(path, file ? requested(file) : []);
    }
  }

  /** @param {string} path @param {Requested} breakpoints */
  #send(path, breakpoints) {
    const { status, isDebugged, isLed } = this.#debuggee;
    const text = JSON.stringify(breakpoints);
    if (status === "idle" || status === "loading" || !isDebugged || isLed || this.#sent.get(path) === text) return;
    this.#sent.set(path, text);
    this.#say();
    this.#debuggee.ask("setBreakpoints", { file: path, breakpoints }).catch((error) => this.#say(error.message));
  }

  /** @param {string} path */
  #askAgain(path) {
    this.#debuggee.ask("getBreakpoints", { file: path }).catch(() => {});
  }

  /** @param {string} path @param {Breakpoint[]} breakpoints */
  #tell(path, breakpoints) {
    const file = this.#workspace.loadedAt(path);
    if (!file) return;
    const told = breakpointsOf(file.state).map(({ at }) => {
      const line = lineInLoaded(file.state, at);
      const known = breakpoints.find((one) => one.line === line);
      return known && { verified: known.verified, message: known.message, actualLine: known.actualLine };
    });
    const before = breakpointsOf(file.state);
    this.#editor.change(file, { effects: tellBreakpoints.of(told) });
    const where = this.#workspace.files.length > 1 ? ` of ${file.name}` : "";
    told.forEach((one, index) => {
      const isNew = before[index]?.told?.message !== one?.message;
      if (one && !one.verified && one.message && isNew) this.#sayOfLoaded(`The breakpoint in line ${file.state.doc.lineAt(before[index].at).number}${where} is never hit: ${one.message}`);
    });
  }

  /** Says something, unless the program turns out not to be loaded: that is what is said then. @param {string} text */
  #sayOfLoaded(text) {
    setTimeout(() => { if (this.#debuggee.status !== "idle") this.#say(text); });
  }

  /** @param {File} file */
  #forget(file) {
    if (breakpointsOf(file.state).some((one) => one.told)) this.#editor.change(file, { effects: tellBreakpoints.of([]) });
  }
}

/** @param {File} file @returns {Requested} */
function requested({ state }) {
  return breakpointsOf(state).map(({ at, options }) => ({ line: lineInLoaded(state, at), ...options }));
}
