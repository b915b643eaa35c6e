// Asks the engine why a program prints something else than expected: it runs the program again, and goes back
// (src/web/explain.rs).

/**
 * @typedef {import("./case-run.js").Texts} Texts
 * @typedef {import("./checker.js").Program} Program
 * @typedef {import("./engine-worker.js").EngineWorker} EngineWorker
 * @typedef {import("./workers.js").Workers} Workers
 */

/** A fact about a statement. It explains the one above it that is indented less. @typedef {{ indent: number, text: string, file: string, line: number, column: number, step: number }} CauseLine */

/** How long an explanation may take, and the end of its session, in milliseconds. */
const LONGEST = 10_000;
const LONGEST_END = 2000;

export class Explainer {
  #workers;
  #signal;
  /** The worker of the last explanation, which can begin another one. @type {EngineWorker | undefined} */
  #worker;

  /** @param {Workers} workers @param {AbortSignal} signal Ends what is explained. */
  constructor(workers, signal) {
    this.#workers = workers;
    this.#signal = signal;
  }

  /**
   * Explains a difference.
   * @param {Program} program @param {Texts} texts What it reads, and has to print.
   * @param {import("./case-run.js").Difference} difference
   * @param {number} [seed] What decided about its random numbers.
   * @returns {Promise<{ cause?: CauseLine[], reason?: string }>} The lines, or why there are none.
   */
  async explain(program, { input, output }, { offset, actual, actualLine }, seed) {
    const worker = await this.#workers.take(this.#worker).catch(() => undefined);
    this.#worker = undefined;
    // One that is given all at the start keeps no history.
    if (!worker || worker.way === "given" || this.#signal.aborted) {
      worker?.terminate();
      return { reason: "this browser cannot go back in time" };
    }
    const told = this.#next(worker, LONGEST);
    worker.postMessage({ type: "start", files: program.files, main: program.main, seed, explains: true });
    worker.postMessage({ type: "line", text: JSON.stringify({ input, output, offset, printed: actual === undefined ? undefined : actualLine }) });
    const text = (await told)?.text;
    const ended = text && this.#next(worker, LONGEST_END);
    if (text) worker.postMessage({ type: "close" });
    if (ended && (await ended)?.type === "ended") this.#worker = worker;
    else worker.terminate();
    return text ? JSON.parse(text) : { reason: `it was not found within ${LONGEST / 1000} seconds` };
  }

  /** Nothing more is explained. */
  end() {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** The next that a worker tells; `undefined` if that is nothing. @param {EngineWorker} worker @param {number} longest @returns {Promise<any>} */
  #next(worker, longest) {
    return new Promise((resolve) => {
      const nothing = () => resolve(undefined);
      setTimeout(nothing, longest);
      this.#signal.addEventListener("abort", nothing, { once: true });
      worker.onmessage = ({ data }) => { if (["lines", "ended", "failed"].includes(data.type)) resolve(data); };
    });
  }
}
