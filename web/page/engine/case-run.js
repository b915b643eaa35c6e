// Runs a program with a case. Whether it prints what it has to, the engine says (SPEC.md, section 6.1).
import { Session } from "./session.js";
import { visible } from "../../shared/elements.js";

/**
 * @typedef {import("../files/cases.js").Case} Case
 * @typedef {import("./checker.js").Program} Program
 * @typedef {import("./workers.js").Workers} Workers
 * @typedef {import("../../../examples/typescript/protocol.ts").Difference} Difference
 * @typedef {{ input: string, output: string }} Texts
 */

/** @typedef {{ file: string, line: number, column: number }} Place */
/** What has come of it: right, or the first difference and, once it is known, its cause, or why it was not run to its end, and where that was. `unknown`: why there is no cause; `seed`: what decided about its random numbers. @typedef {{ isRight: boolean, seed?: number, difference?: Difference, why?: string, place?: Place, unknown?: string, cause?: import("./explain.js").CauseLine[] }} Result */

/** How long a program may take with one case, in milliseconds. */
const LONGEST = 5000;
/** How much more than expected it may print, in characters: blanks at the end are no difference. */
const MOST_MORE = 1 << 18;
/** How long a session that has ended may take to leave its worker, in milliseconds. */
const LONGEST_LEAVE = 2000;

export class CaseRunner {
  #workers;
  /** The worker of the last run that was right, which can begin another session. @type {import("./engine-worker.js").EngineWorker | undefined} */
  #worker;

  /** @param {Workers} workers */
  constructor(workers) {
    this.#workers = workers;
  }

  /**
   * Runs a program to its end, to the first difference, or to its limits.
   * @param {Program} program @param {Texts} texts What it reads, and has to print.
   * @param {AbortSignal} [signal] Ends it. @returns {Promise<Result>}
   */
  async run(program, texts, signal) {
    const known = this.#worker;
    this.#worker = undefined;
    let worker;
    try {
      worker = await this.#workers.take(known);
    } catch (error) {
      return { isRight: false, why: /** @type {Error} */ (error).message };
    }
    const [seed] = crypto.getRandomValues(new Uint32Array(1));
    const { result, session } = await runIn(worker, { ...program, seed }, texts, signal);
    if (!result.isRight) session.stop();
    else {
      const timer = setTimeout(() => session.stop(), LONGEST_LEAVE);
      this.#worker = (await session.leave())?.worker;
      clearTimeout(timer);
    }
    return { ...result, seed };
  }

  /** No more programs are run. */
  end() {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/**
 * @param {import("./engine-worker.js").EngineWorker} worker @param {Program & { seed: number }} program @param {Texts} texts @param {AbortSignal} [signal]
 * @returns {Promise<{ result: Result, session: Session }>} The session is not over.
 */
function runIn(worker, program, { input, output }, signal) {
  let printed = 0;
  /** @type {string | undefined} */
  let report;
  /** @type {Place | undefined} */
  let place;
  return new Promise((resolve) => {
    const session = new Session(worker, {
      ...program,
      onEvent: ({ event, data }) => {
        if (event === "output") printed += data.text.length;
        else if (event === "error" && !data.command) {
          place ??= placeOf(data, program);
          report ??= reportText(data, program);
        }
        else if (event === "stopped" && data.difference) finish({ isRight: false, difference: data.difference });
        else if (event === "exited") finish({ ...ended(data, report), place });
        if (printed > output.length + MOST_MORE) finish({ isRight: false, why: "The program prints more and more." });
      },
      onEnd: ({ failure }) => finish({ isRight: false, why: failure ?? "The engine has ended." }),
      shown: () => Promise.resolve(),
    });
    const timer = setTimeout(() => finish({ isRight: false, why: "The program has not ended after 5 seconds. Does it wait for more than is typed, or is there a loop without an end?" }), LONGEST);
    const stop = () => finish({ isRight: false, why: "It was stopped." });
    /** @param {Result} result */
    function finish(result) {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve({ result, session });
    }
    if (signal?.aborted) return stop();
    signal?.addEventListener("abort", stop);
    session.ask("initialize", { file: program.main, protocolVersion: 2, keepAlive: true, stopOnEntry: false }).catch(() => finish({ isRight: false, why: report ?? "The program has errors and was not started." }));
    const asked = [session.ask("setExpectedOutput", { text: output }), session.ask("start", {}), session.ask("input", { text: input, eof: true })];
    for (const one of asked) one.catch((error) => finish({ isRight: false, why: report ?? error.message }));
  });
}

/** @param {import("./session.js").Events["exited"]} data @param {string} [report] @returns {Result} */
function ended({ exitCode, output }, report) {
  if (output?.difference) return { isRight: false, difference: output.difference };
  if (exitCode) return { isRight: false, why: report ?? `The program has ended with the exit code ${exitCode}.` };
  // Without it, nothing was compared.
  return output ? { isRight: true } : { isRight: false, why: "What the program prints could not be compared." };
}

/** @param {import("./session.js").Diagnostic} report @param {Program} program @returns {Place | undefined} */
const placeOf = ({ location }, { main }) => location && { file: location.file ?? main, line: location.line, column: location.column };

/** @param {import("./session.js").Diagnostic} report @param {Program} program */
function reportText({ location, message }, { main }) {
  const where = location?.file && location.file !== main ? `${location.file.replace(/^\//, "")}, line` : "Line";
  return visible(location ? `${where} ${location.line}: ${message}` : message);
}
