// Runs the program with its cases, one after the other, and remembers what has come of each.
import { Emitter } from "../base/emitter.js";
import { CaseRunner } from "./case-run.js";
import { isSame } from "./checker.js";
import { Explainer } from "./explain.js";

/**
 * @typedef {import("./case-run.js").Case} Case
 * @typedef {import("./case-run.js").Result} Result
 * @typedef {import("./checker.js").Program} Program
 */

/** Of how many cases the cause is looked for: of more, nobody reads it. */
const MOST_EXPLAINED = 20;

/** `ran`: of a case another thing is known; `finished`: all were run. @extends {Emitter<{ ran: undefined, finished: undefined }>} */
export class CaseRuns extends Emitter {
  #workers;
  #explains;
  /** @type {WeakMap<Case, { result: Result, program: Program }>} */
  #results = new WeakMap();
  /** The program of the newest result. @type {Program | undefined} */
  #last;
  /** The program as it is now. @type {Program | undefined} */
  #now;
  /** @type {AbortController | undefined} */
  #running;
  /** Ends what is explained. */
  #explaining = new AbortController();
  /** The case that is run now. @type {Case | undefined} */
  current;

  /** @param {import("./workers.js").Workers} workers @param {boolean} explains Whether it looks for causes. */
  constructor(workers, explains) {
    super();
    this.#workers = workers;
    this.#explains = explains;
  }

  get isRunning() {
    return this.#running !== undefined;
  }

  /** What is known of a case. @param {Case} one */
  of(one) {
    return this.#results.get(one)?.result;
  }

  /** Whether that is of an earlier text of the program. @param {Case} one */
  isOld(one) {
    const known = this.#results.get(one);
    return known !== undefined && known.program !== this.#now;
  }

  /** Runs a program; what runs is ended. @param {Program} program @param {Case[]} cases */
  async run(program, cases) {
    this.stop();
    const running = (this.#running = new AbortController());
    // What is known of the same text is of this one.
    if (this.#last && isSame(this.#last, program)) program = this.#last;
    this.#last = this.#now = program;
    const runner = new CaseRunner(this.#workers);
    for (const one of cases) {
      this.current = one;
      this.emit("ran", undefined);
      const result = await runner.run(program, one, running.signal);
      if (running.signal.aborted) break;
      this.#results.set(one, { result, program });
    }
    runner.end();
    if (running.signal.aborted) return;
    this.#over();
    this.emit("finished", undefined);
    await this.#explain(program, cases);
  }

  /** Looks for the causes of what is wrong. @param {Program} program @param {Case[]} cases */
  async #explain(program, cases) {
    if (!this.#explains) return;
    const { signal } = (this.#explaining = new AbortController());
    const explainer = new Explainer(this.#workers, signal);
    const different = cases.filter((one) => this.of(one)?.difference);
    const tell = (/** @type {Case} */ one, /** @type {Partial<Result>} */ more) => {
      this.#results.set(one, { result: { .../** @type {Result} */ (this.of(one)), ...more }, program });
      this.emit("ran", undefined);
    };
    for (const one of different.slice(MOST_EXPLAINED)) tell(one, { unknown: `Causes are looked for in the first ${MOST_EXPLAINED} cases only.` });
    for (const one of different.slice(0, MOST_EXPLAINED)) {
      tell(one, { unknown: "The cause is looked for …" });
      const { difference, seed } = /** @type {Result} */ (this.of(one));
      const { cause, reason } = await explainer.explain(program, one, /** @type {import("./case-run.js").Difference} */ (difference), seed);
      tell(one, signal.aborted ? { unknown: undefined } : { cause, unknown: reason && `The cause is not known: ${reason}.` });
      if (signal.aborted) break;
    }
    explainer.end();
  }

  /** Ends what runs. */
  stop() {
    this.#explaining.abort();
    if (!this.#running) return;
    this.#running.abort();
    this.#over();
  }

  #over() {
    this.#running = this.current = undefined;
    this.emit("ran", undefined);
  }

  /** The program may be another one than that which was run. @param {() => Program} program */
  changed(program) {
    if (!this.#last) return;
    const now = program();
    const next = isSame(this.#last, now) ? this.#last : undefined;
    if (next === this.#now) return;
    this.#now = next;
    if (!next) this.#explaining.abort();
    this.emit("ran", undefined);
  }
}
