// Reports about a program that is not run: a session that only loads it.
import { Session } from "./session.js";

/** @typedef {import("./session.js").Diagnostic} Diagnostic */
/** @typedef {import("./workers.js").Workers} Workers */
/** @typedef {{ files: Record<string, string>, main: string }} Program The texts by absolute path, and which is run. */

/** How long a check may take in milliseconds. */
const LONGEST = 5000;

/**
 * The errors and warnings of a program.
 * @param {Workers} workers @param {Program} program
 * @returns {Promise<Diagnostic[]>} Rejected if the engine cannot be used.
 */
export async function check(workers, program) {
  const worker = await workers.take();
  /** @type {Diagnostic[]} */
  const found = [];
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      session.stop();
      resolve(found);
    };
    const session = new Session(worker, {
      ...program,
      onEvent: ({ event, data }) => {
        if (event === "error" && !data.command) found.push(data);
        else if (event === "initialized" || event === "warnings") found.push(...(data.warnings ?? []));
      },
      onEnd: ({ failure }) => (failure ? reject(new Error(failure)) : done()),
      shown: () => Promise.resolve(),
    });
    const timer = setTimeout(done, LONGEST);
    // The answer to the second command comes after all that the first one has to say.
    session.ask("initialize", { file: program.main, protocolVersion: 2, keepAlive: true }).catch(() => {});
    session.ask("getState", {}).then(done, () => {});
  });
}

/** Checks the newest of the programs that it is given, one at a time. */
export class Checker {
  #workers;
  #report;
  /** @type {Program | undefined} */
  #newest;
  #isBusy = false;

  /**
   * @param {Workers} workers
   * @param {(found: Diagnostic[], program: Program) => void} report Called with what was found, if nothing newer waits.
   */
  constructor(workers, report) {
    this.#workers = workers;
    this.#report = report;
  }

  /** @param {Program} program */
  async check(program) {
    this.#newest = program;
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#newest) {
        const current = this.#newest;
        this.#newest = undefined;
        const found = await check(this.#workers, current);
        if (!this.#newest) this.#report(found, current);
      }
    } catch {
      // Running the program says why the engine cannot be used.
    } finally {
      this.#isBusy = false;
    }
  }
}
