// The program that runs or is debugged, at most one at a time: what state it is in, and what can be done with it.
import { Emitter } from "../base/emitter.js";
import { setBreakpoints, start } from "./first-breakpoints.js";
import { Ended, Refused, Session } from "./session.js";
import { StepQueue } from "./step-queue.js";

/**
 * @typedef {import("./session.js").Commands} Commands
 * @typedef {import("./session.js").Message} Message
 * @typedef {import("./session.js").Diagnostic} Diagnostic
 * @typedef {import("./session.js").Events["stopped"]} Stop
 * @typedef {import("../../../examples/typescript/protocol.ts").Frame} Frame
 * @typedef {import("../../../examples/typescript/protocol.ts").Variable} Variable
 * @typedef {import("./checker.js").Program} Program
 * @typedef {"idle" | "loading" | "running" | "stopped"} Status
 * @typedef {"stepInto" | "stepOver" | "stepOut" | "continue" | "runTo" | "stepBack" | "stepBackOver" | "stepBackOut" |
 *     "reverseContinue" | "goToStep" | "goToPresent" | "restartFrame"} Resuming
 */

/**
 * What a program is started with.
 * @typedef {object} Setup
 * @property {boolean} isDebugged Whether it stops at breakpoints, and can go back.
 * @property {Record<string, Commands["setBreakpoints"]["params"]["breakpoints"]>} breakpoints By path.
 * @property {string[]} watches Expressions.
 * @property {Commands["setFunctionBreakpoints"]["params"]["breakpoints"]} functions
 * @property {string} [input] What the program reads first; all that it reads, where none can be given while it runs.
 * @property {string} [expected] What it has to print: it reads `input` only, and stops at the first difference.
 */

/**
 * How a program ended: `exited` by itself; `stopped` by the user; `refused` since it has errors; `failed` because the
 * engine could not go on; then starting the program again, or loading the page again, may help.
 * @typedef {{ how: "exited" | "stopped" | "refused" | "failed", exitCode?: number, message?: string, remedy?: "start" | "load" }} Ending
 */

/** How long a program has to end by itself, with its output complete, in milliseconds. */
const GRACE = 80;
/** After what time, in milliseconds, a command that is still in progress is shown as running. */
const SHOWN_AFTER = 100;
/** After what time, in milliseconds, steps are forgotten that were asked for while one was in progress. */
const STALE_AFTER = 1000;
/** These end, however long they take: what is asked for meanwhile is not forgotten. */
const JOURNEYS = new Set(["goToStep", "goToPresent", "stepBack", "stepBackOver", "stepBackOut"]);
/** Steps forwards are short, mostly: what is shown after one is asked for together with it. */
const SHORT = new Set(["stepInto", "stepOver", "stepOut"]);
/** How long a session that has ended may take to tell which files there are, in milliseconds. */
const LONGEST_LEAVE = 2000;

const NO_DEBUGGING = "This browser can run programs, but not debug them: it can neither suspend WebAssembly nor keep a service worker, which private windows often forbid. Chrome and Edge from 137 on, Firefox from 153 on and Safari from 27 on can.";

/**
 * @extends {Emitter<{ changed: undefined, launched: Setup, stopped: Stop, settled: Stop, frame: number,
 *     event: Message, output: import("./session.js").Events["output"] & { isEvaluated?: boolean }, report: Diagnostic, refused: string, ended: Ending,
 *     files: import("./session.js").Written[], unread: string, read: string }>}
 */
export class Debuggee extends Emitter {
  /** @type {Status} */
  status = "idle";
  /** Whether the program waits for input. */
  isWaiting = false;
  /** The step of the statement that reads it, if that is known. @type {number | undefined} */
  readIn;
  /** Whether it can be given input while it runs. */
  takesInput = true;
  /** Whether the end of its input was entered. */
  hasInputEnded = false;
  /** What is entered while the program is loaded. @type {{ text: string, isLast: boolean }[]} */
  #early = [];
  /** Whether the run can be paused, stepped and taken back. */
  isDebugged = false;
  /** Whether it runs to where it prints something else than expected: nothing else stops it. */
  isLed = false;
  /** The last stop of this run. @type {Stop | undefined} */
  stop;
  /** The calls in progress at the stop, innermost first; the outermost ones may be missing. @type {Frame[]} */
  frames = [];
  /** How many calls are in progress. */
  frameCount = 0;
  /** The call that is looked at. */
  frameIndex = 0;
  /** The variables of the innermost call at the stop, until it is settled. @type {Variable[] | undefined} */
  variables;
  /** What was started last. @type {Program | undefined} */
  program;

  #workers;
  #shown;
  /** @type {Session | undefined} */
  #session;
  #launches = 0;
  /** @type {string | undefined} The command in progress. */
  #command;
  #queue = new StepQueue();
  /** Whether the command in progress takes long. */
  #isLong = false;
  /**
   * The stack and the variables that were asked for together with a step.
   * @type {Promise<{ stack?: import("./session.js").Answer<"getStackTrace">, variables?: import("./session.js").Answer<"getVariables"> }> | undefined}
   */
  #ahead;
  #isStopping = false;
  /** Why the program has stopped last in the present. */
  #presentReason = "";

  /**
   * @param {import("./workers.js").Workers} workers
   * @param {() => Promise<void>} shown Resolves when what has been told is shown.
   */
  constructor(workers, shown) {
    super();
    this.#workers = workers;
    this.#shown = shown;
  }

  /** Whether a session is there that can be asked. */
  get isStopped() {
    return this.status === "stopped";
  }

  /** Whether it can be asked what was before the stop. */
  get hasPast() {
    return this.isStopped && this.stop?.present !== undefined;
  }

  /** What the present is, if the program cannot go on from there: it comes after the last step. @returns {"end" | "error" | undefined} */
  get presentEnd() {
    return this.#presentReason === "end" ? "end" : this.#presentReason === "exception" ? "error" : undefined;
  }

  /** Whether a command is in progress whose end can be waited for. */
  get isUnderWay() {
    const command = this.#command ?? "";
    return JOURNEYS.has(command) || (SHORT.has(command) && !this.#isLong);
  }

  /** Whether the stop is before the present. */
  get isInPast() {
    return this.isStopped && this.stop?.past === true;
  }

  /**
   * Starts a program; one that runs is ended.
   * @param {Program} program @param {Setup} setup
   */
  async launch(program, setup) {
    this.#drop();
    const launch = ++this.#launches;
    const isLed = setup.expected !== undefined;
    Object.assign(this, { program, isDebugged: setup.isDebugged, isLed, stop: undefined, frames: [], isWaiting: false, readIn: undefined, takesInput: true, hasInputEnded: isLed });
    this.#early = [];
    this.#become("loading");
    this.emit("launched", setup);
    let worker;
    try {
      worker = await this.#workers.take();
    } catch (error) {
      const { message, canHelp } = /** @type {import("./engine-worker.js").NoEngine} */ (error);
      if (launch === this.#launches) this.#end({ how: "failed", message, remedy: canHelp ? "load" : undefined });
      return;
    }
    if (launch !== this.#launches) return worker.terminate();
    if (worker.way === "given" && setup.isDebugged) {
      worker.terminate();
      return this.#end({ how: "failed", message: NO_DEBUGGING });
    }
    /** @type {Session} */
    const session = new Session(worker, {
      ...program,
      onEvent: (message) => { if (this.#session === session) this.#receive(message); },
      onEnd: ({ failure }) => { if (this.#session === session) this.#end(failure ? { how: "failed", message: failure, remedy: "start" } : { how: "stopped" }); },
      shown: this.#shown,
    });
    this.#session = session;
    this.takesInput = worker.way !== "given";
    this.emit("changed", undefined);
    if (worker.way === "given") await this.#run(session, program, setup.input ?? "");
    else await this.#begin(session, program, setup);
  }

  /** Runs a program that can be told nothing later. @param {Session} session @param {Program} program @param {string} first */
  async #run(session, program, first) {
    const asked = session.ask("initialize", { file: program.main, protocolVersion: 2, keepAlive: true, stopOnEntry: false });
    // If it cannot be loaded, these are refused.
    const text = first + this.#earlyText;
    this.emit("read", text);
    for (const later of [session.ask("start", {}), session.ask("input", { text, eof: true })]) later.catch(() => {});
    await this.#isLoaded(session, asked);
  }

  get #earlyText() {
    return this.#early.map(({ text }) => text).join("");
  }

  /** @param {Session} session @param {Program} program @param {Setup} setup */
  async #begin(session, program, setup) {
    const { isDebugged, expected } = setup;
    const entry = isDebugged && !this.isLed ? {} : { stopOnEntry: false };
    const asked = session.ask("initialize", { file: program.main, protocolVersion: 2, keepAlive: true, history: isDebugged, ...entry });
    if (expected !== undefined) this.#try(session.ask("setExpectedOutput", { text: expected }));
    if (setup.input || this.isLed) this.#give(setup.input ?? "", this.isLed);
    for (const { text, isLast } of this.#early) this.#give(text, isLast);
    const breakpoints = isDebugged ? setBreakpoints(session, setup) : [];
    for (const one of breakpoints) this.#try(one);
    if (isDebugged) for (const expression of setup.watches) this.#try(session.ask("addWatch", { expression }));
    if (await this.#isLoaded(session, asked)) for (const one of await start(session, setup, breakpoints)) this.#try(one);
  }

  /** Whether the program is loaded, when that is known. @param {Session} session @param {Promise<unknown>} asked */
  async #isLoaded(session, asked) {
    try {
      await asked;
    } catch (error) {
      if (error instanceof Refused && this.#session === session) {
        const isProgram = error.diagnostic.command === undefined;
        this.#end(isProgram ? { how: "refused" } : { how: "failed", message: error.message });
      }
      return false;
    }
    return this.#session === session;
  }

  /**
   * Lets a stopped program go on, forwards or backwards. A step that is asked for while one is in progress follows it.
   * @param {Resuming} command @param {Record<string, unknown>} params
   * @param {boolean} isHeld Whether the key of the command is held down.
   */
  resume(command, params = {}, isHeld = false) {
    if (this.status === "running" && !Object.keys(params).length) this.#queue.add(command, this.#isLong ? undefined : this.#command, isHeld);
    if (this.status !== "stopped" || !this.#session) return;
    this.#command = command;
    this.#isLong = false;
    this.status = "running";
    const before = this.stop;
    const whileItRuns = (/** @type {number} */ time, /** @type {() => void} */ action) =>
      setTimeout(() => { if (this.status === "running" && this.stop === before) action(); }, time);
    // Short steps must not make the buttons flicker.
    whileItRuns(SHOWN_AFTER, () => this.emit("changed", undefined));
    whileItRuns(STALE_AFTER, () => { this.#isLong = true; this.#queue.clear(); });
    this.#session.ask(command, /** @type {any} */ (params)).catch((error) => {
      if (!(error instanceof Refused) || this.status !== "running" || this.stop !== before) return;
      this.#ahead = undefined;
      this.#command = undefined;
      this.#queue.clear();
      this.#become("stopped");
      this.emit("refused", error.message);
    });
    // Refused if the step is not over by then.
    this.#ahead = SHORT.has(command) && !before?.past ? this.#look() : undefined;
  }

  /** Asks for the calls in progress, and the variables of the innermost one. Nothing if that is refused. */
  async #look() {
    const refused = () => undefined;
    const [stack, variables] = await Promise.all([
      this.ask("getStackTrace", { count: 50 }).catch(refused), this.ask("getVariables", { frameIndex: 0 }).catch(refused)]);
    return { stack, variables };
  }

  /** Stops the running program where it is. */
  pause() {
    // It is refused if the program has stopped by then.
    if (this.status === "running") this.#session?.ask("pause", {}).catch(() => {});
  }

  /** Ends the program, whatever it does. */
  end() {
    if (this.status === "idle" || this.#isStopping) return;
    const session = this.#session;
    this.#isStopping = true;
    if (!session) return this.#end({ how: "stopped" });
    this.#try(session.ask("kill", {}));
    setTimeout(() => { if (this.#session === session) this.#end({ how: "stopped" }); }, GRACE);
  }

  /**
   * Gives the program input.
   * @param {string} text Whole lines. @param {boolean} isLast Whether nothing follows.
   */
  input(text, isLast = false) {
    if (this.status === "loading") this.#early.push({ text, isLast });
    this.#give(text, isLast);
    this.isWaiting = false;
    this.readIn = undefined;
    this.hasInputEnded ||= isLast;
    this.emit("changed", undefined);
  }

  /** @param {string} text @param {boolean} isLast */
  #give(text, isLast) {
    if (!this.#session) return;
    this.emit("read", text);
    this.#try(this.#session.ask("input", { text, eof: isLast }));
  }

  /**
   * Asks about the program.
   * @template {keyof Commands} C
   * @param {C} command @param {Commands[C]["params"]} params
   * @returns {Promise<import("./session.js").Answer<C>>} Rejected with `Refused` or `Ended`.
   */
  ask(command, params) {
    return this.#session ? this.#session.ask(command, params) : Promise.reject(new Ended("No program is running."));
  }

  /** Whether there is a session that can be asked for files. */
  get hasFiles() {
    return this.#session !== undefined;
  }

  /** The files that the program has written. @param {string} [path] Of the one whose contents are wanted. */
  async files(path) {
    return (await this.#session?.files(path)) ?? [];
  }

  /** Removes a file that the program has written. @param {string} path */
  removeFile(path) {
    this.#session?.remove(path);
  }

  /** Looks at another call. @param {number} index */
  selectFrame(index) {
    this.frameIndex = index;
    this.emit("frame", index);
  }

  /** Fetches more of the outermost calls. */
  async moreFrames() {
    const { stop } = this;
    const { data } = await this.ask("getStackTrace", { start: this.frames.length, count: 100 });
    if (this.stop === stop) this.frames = [...this.frames, ...data.frames];
  }

  /** @param {Message} message */
  #receive(message) {
    const { event, data } = message;
    // There are many, and one part of the page wants them.
    if (event === "output") return this.emit("output", { ...data, isEvaluated: data.category !== "console" && this.#session?.isEvaluating });
    this.emit("event", message);
    if (event === "started") this.#become("running");
    else if (event === "stopped") this.#stopped(data);
    else if (event === "exited") this.#exited(data.exitCode);
    else if (event === "error" && !data.command) this.emit("report", data);
    else if (event === "inputRequested") {
      this.isWaiting = true;
      this.readIn = data.step;
      this.#queue.clear();
      this.emit("changed", undefined);
    }
  }

  /** @param {Stop} stop */
  #stopped(stop) {
    this.stop = stop;
    if (!stop.past && stop.reason !== "present") this.#presentReason = stop.reason;
    this.isWaiting = this.isLed = false;
    this.frameIndex = 0;
    this.#command = undefined;
    this.status = "stopped";
    const next = this.#queue.next(stop.reason, !stop.past && this.presentEnd !== undefined);
    if (next) return this.resume(next);
    // The next line is shown first, before whatever else needs a layout of the page.
    const isStep = stop.reason === "step";
    if (!isStep) this.#tell(stop);
    this.#settle(stop).then(() => { if (isStep && this.stop === stop && this.isStopped) this.#tell(stop); });
  }

  /** @param {Stop} stop */
  #tell(stop) {
    this.emit("changed", undefined);
    this.emit("stopped", stop);
  }

  /** @param {Stop} stop */
  async #settle(stop) {
    const isHere = () => this.stop === stop && this.isStopped;
    const ahead = this.#ahead;
    this.#ahead = undefined;
    let found = await ahead;
    if (!(found?.stack && found.variables) && isHere()) found = await this.#look();
    if (!found?.stack || !isHere()) return;
    const { data } = found.stack;
    [this.frames, this.frameCount, this.variables] = [data.frames, data.total, found.variables?.data.variables];
    this.emit("settled", stop);
    this.variables = undefined;
  }

  /** @param {Status} status */
  #become(status) {
    this.status = status;
    this.emit("changed", undefined);
  }

  /** @param {Ending} ending */
  #end(ending) {
    // No program has read this, and the user has not given it up.
    if (this.status === "loading" && !this.#isStopping) this.emit("unread", this.#earlyText);
    this.#drop();
    this.#become("idle");
    this.emit("ended", ending);
  }

  /** The program has ended: leaves the session when it is known what the program has written. @param {number} exitCode */
  async #exited(exitCode) {
    const session = /** @type {Session} */ (this.#session);
    const ending = this.#isStopping ? { how: /** @type {const} */ ("stopped") } : { how: /** @type {const} */ ("exited"), exitCode };
    this.#session = undefined;
    this.#end(ending);
    const launches = this.#launches;
    const timer = setTimeout(() => session.stop(), LONGEST_LEAVE);
    const left = await session.leave();
    clearTimeout(timer);
    left?.worker.terminate();
    if (left && launches === this.#launches) this.emit("files", left.files);
  }

  /** Leaves the session, if there is one. */
  #drop() {
    this.#session?.stop();
    this.#session = undefined;
    this.#launches++;
    this.#isStopping = this.isWaiting = false;
    this.#command = this.#ahead = undefined;
    this.#queue.clear();
  }

  /** What is refused is told. @param {Promise<unknown>} asked */
  #try(asked) {
    asked.catch((error) => {
      if (error instanceof Refused && error.diagnostic.command && !this.#isStopping) this.emit("refused", error.message);
    });
  }
}
