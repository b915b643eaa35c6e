// Reports about a program that is not run: a session that only loads it.
import { Session } from "./session.js";

/** @typedef {import("./session.js").Diagnostic} Diagnostic */
/** @typedef {import("./workers.js").Workers} Workers */
/** @typedef {{ files: Record<string, string>, main: string }} Program The texts by absolute path, and which is run. */

/** Whether two programs have the same texts. @param {Program} one @param {Program} other */
export const isSame = (one, other) => one.main === other.main && Object.keys(one.files).length === Object.keys(other.files).length &&
  Object.entries(one.files).every(([path, text]) => other.files[path] === text);

/** How long a check may take in milliseconds. */
const LONGEST = 5000;

/** Checks the newest of the programs that it is given, one at a time. */
export class Checker {
  #workers;
  #report;
  /** The worker of the last check, which can begin another session. @type {import("./engine-worker.js").EngineWorker | undefined} */
  #worker;
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
        const { found, session } = await this.#problemsOf(current);
        if (!this.#newest) this.#report(found, current);
        this.#worker = (await session.leave())?.worker;
      }
    } catch {
      // Running the program says why the engine cannot be used.
    } finally {
      this.#isBusy = false;
    }
  }

  /** @param {Program} program What was found, and the session that has found it. Rejected if the engine cannot be used. */
  async #problemsOf(program) {
    const known = this.#worker;
    this.#worker = undefined;
    const worker = await this.#workers.take(known);
    /** @type {Diagnostic[]} */
    const found = [];
    const session = new Session(worker, {
      ...program,
      onEvent: ({ event, data }) => {
        if (event === "error" && !data.command) found.push(data);
        else if (event === "initialized" || event === "warnings") found.push(...(data.warnings ?? []));
      },
      onEnd: () => {},
      shown: () => Promise.resolve(),
    });
    const timer = setTimeout(() => session.stop(), LONGEST);
    // The answer to the second command comes after all that the first one has to say.
    session.ask("initialize", { file: program.main, protocolVersion: 2, keepAlive: true }).catch(() => {});
    await session.ask("getState", {});
    clearTimeout(timer);
    return { found, session };
  }
}
