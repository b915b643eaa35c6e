// What the last run has read and printed, of which a case can be made.
import { isSame } from "./checker.js";

/** How much is remembered of each, in characters. */
const MOST = 1 << 18;

export class LastRun {
  #workspace;
  /** What was run, if anything was, and its file, whatever its name is now. @type {import("./checker.js").Program | undefined} */
  #program;
  /** @type {import("../files/workspace.js").File | undefined} */
  #main;
  #input = "";
  #output = "";
  /** Whether it has printed all that it prints. */
  #isOver = false;

  /** @param {import("./debuggee.js").Debuggee} debuggee @param {import("../files/workspace.js").Workspace} workspace */
  constructor(debuggee, workspace) {
    this.#workspace = workspace;
    debuggee.on("launched", () => { [this.#program, this.#main, this.#input, this.#output, this.#isOver] = [debuggee.program, workspace.main, "", "", false]; });
    debuggee.on("stopped", ({ reason }) => { this.#isOver ||= reason === "end"; });
    debuggee.on("ended", () => { this.#isOver = true; });
    debuggee.on("read", (text) => { this.#input = (this.#input + text).slice(0, MOST + 1); });
    debuggee.on("output", ({ category, text, isEvaluated }) => {
      if (category === "stdout" && !isEvaluated && this.#output.length <= MOST) this.#output += text;
    });
    workspace.on("replaced", () => { this.#program = this.#main = undefined; });
  }

  /** What else there is to say of it, after its name. */
  get about() {
    const isOld = this.#program !== undefined && !isSame(this.#program, this.#workspace.program());
    return `${this.#isOver ? "" : ", which has not ended"}${isOld ? ", before the program was changed" : ""}`;
  }

  /** @param {import("../files/workspace.js").File} main The program. @returns {import("./case-run.js").Texts | string} Or why there is none, in a sentence. */
  of(main) {
    if (this.#main !== main) return "This program was not run yet: run it, and what it reads and prints can become a case.";
    if (this.#input.length > MOST || this.#output.length > MOST) return "The last run has read or printed too much for a case.";
    return { input: this.#input, output: this.#output };
  }
}
