// A client of the debug protocol (SPEC.md, version 2) over a worker. It knows nothing of the page.
import { DIVIDED } from "../../../examples/typescript/protocol.ts";

/**
 * @typedef {import("../../../examples/typescript/protocol.ts").Commands} Commands
 * @typedef {import("../../../examples/typescript/protocol.ts").Events} Events
 * @typedef {import("../../../examples/typescript/protocol.ts").Diagnostic} Diagnostic
 */

/**
 * An event, with data of its type.
 * @typedef {{ [E in keyof Events]: { event: E, data: Events[E], id?: number } }[keyof Events]} Message
 */

/**
 * An event that answers a command.
 * @template {keyof Commands} C
 * @typedef {Extract<Message, { event: Commands[C]["answer"] }>} Answer
 */

/** A command was refused, or has failed. */
export class Refused extends Error {
  /** @param {Diagnostic} diagnostic */
  constructor(diagnostic) {
    super(diagnostic.message);
    /** What the engine says. */
    this.diagnostic = diagnostic;
  }
}

/**
 * A file that the program has written; its contents, if they were asked for.
 * @typedef {{ path: string, size: number, bytes?: Uint8Array<ArrayBuffer> }} Written
 */

/** The session has ended before a command was answered. */
export class Ended extends Error {}

/** How a session ended: by itself (`failure` is missing), or because the engine could not go on. */
/** @typedef {{ failure?: string }} End */

/** What a session leaves behind: its worker, which can begin another one, and the files that the program has written. */
/** @typedef {{ worker: EngineWorker, files: Written[] }} Left */
/** @typedef {import("./engine-worker.js").EngineWorker} EngineWorker */

/** So many bytes are confirmed at once; the engine waits when it is far more. */
const CONFIRMED_AT_ONCE = 1 << 17;

/** These are not answers yet, although they have the id of the command: the stop or the end that follows is. */
const ANNOUNCED = new Set(["started", "restarted"]);

/** Commands that carry out what the user has entered, while the program is stopped. */
const EVALUATING = new Set(["evaluate", "setVariable"]);

export class Session {
  #worker;
  #options;
  #last = 0;
  #isOver = false;
  /** Gets what is left behind. @type {((left: Left | undefined) => void) | undefined} */
  #left;
  /** Commands of this moment, which are sent together. @type {string[]} */
  #lines = [];
  /** Bytes of output that are shown and not confirmed. */
  #unconfirmed = 0;
  /** Who has asked for files. @type {((files: Written[]) => void)[]} */
  #listing = [];
  /** @type {Map<number, { command: string, resolve: (answer: any) => void, reject: (why: Error) => void }>} */
  #waiting = new Map();
  /** What is known of divided answers, by event. @type {Map<string, Record<string, any>>} */
  #parts = new Map();

  /**
   * @param {EngineWorker} worker One that has loaded the engine; it belongs to the session and ends with it.
   * @param {object} options
   * @param {Record<string, string>} options.files The texts of all files, by absolute path.
   * @param {string} options.main The path of the program.
   * @param {number} [options.seed] Decides about its random numbers.
   * @param {(message: Message) => void} options.onEvent Called for each event in order, before what waits for it.
   * @param {(end: End) => void} options.onEnd Called once, unless `stop` ends the session.
   * @param {() => Promise<void>} options.shown Resolves when what was received is shown: the program is only some way
   *     ahead of that.
   */
  constructor(worker, options) {
    this.#worker = worker;
    this.#options = options;
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (error) => {
      error.preventDefault();
      this.#end({ failure: `The engine has failed: ${error.message || "unknown reason"}` });
    };
    worker.postMessage({ type: "start", files: options.files, main: options.main, seed: options.seed });
  }

  /** Whether the session has ended. */
  get isOver() {
    return this.#isOver;
  }

  /** Whether what is written now is written by an evaluation: the program goes on only after that. */
  get isEvaluating() {
    for (const { command } of this.#waiting.values()) if (EVALUATING.has(command)) return true;
    return false;
  }

  /**
   * Sends a command.
   * @template {keyof Commands} C
   * @param {C} command @param {Commands[C]["params"]} params
   * @returns {Promise<Answer<C>>} The answer. Rejected with `Refused` or `Ended`.
   */
  ask(command, params) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(new Ended("The session has ended."));
      this.#waiting.set(id, { command, resolve, reject });
      if (this.#lines.push(JSON.stringify({ type: "command", command, params, id })) === 1) queueMicrotask(() => this.#send());
    });
  }

  #send() {
    const lines = this.#lines.splice(0);
    if (lines.length && !this.#isOver) this.#worker.postMessage({ type: "line", text: lines.join("\n") });
  }

  /**
   * The files that the program has written; nothing if the session ends before.
   * @param {string} [path] Of the one whose contents are wanted. @returns {Promise<Written[]>}
   */
  files(path) {
    return new Promise((resolve) => {
      if (this.#isOver) return resolve([]);
      this.#send();
      this.#listing.push(resolve);
      this.#worker.postMessage({ type: "files", path });
    });
  }

  /** Removes a file that the program has written. @param {string} path */
  remove(path) {
    if (!this.#isOver) this.#worker.postMessage({ type: "remove", path });
  }

  /**
   * Ends the session, whose program does not run, so that its worker can begin another one.
   * @returns {Promise<Left | undefined>} What is left behind, unless the session had ended.
   */
  leave() {
    return new Promise((resolve) => {
      if (this.#isOver) return resolve(undefined);
      this.#send();
      this.#left = resolve;
      this.#worker.postMessage({ type: "close" });
    });
  }

  /** Ends the session at once, whatever the program does. */
  stop() {
    this.#close();
  }

  /** @param {{ type: string, text?: string, bytes?: number, message?: string, files?: Written[] }} message */
  #receive(message) {
    if (this.#isOver) return;
    switch (message.type) {
      case "lines":
        for (const line of (message.text ?? "").split("\n")) {
          if (line && !this.#isOver) this.#read(line);
        }
        this.#acknowledge(message.bytes ?? 0);
        break;
      case "files":
        this.#listing.shift()?.(message.files ?? []);
        break;
      case "ended":
        if (this.#left) this.#giveBack(this.#left, message.files ?? []);
        else this.#end({});
        break;
      case "failed":
      case "unsupported":
        this.#end({ failure: message.message ?? "The engine has failed." });
        break;
    }
  }

  /** @param {string} line */
  #read(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#end({ failure: "The engine has failed: it has sent what is no message." });
    }
    this.#take(message);
  }

  /** @param {number} bytes */
  async #acknowledge(bytes) {
    this.#unconfirmed += bytes;
    if (this.#unconfirmed < CONFIRMED_AT_ONCE) return;
    const all = this.#unconfirmed;
    this.#unconfirmed = 0;
    await this.#options.shown();
    if (!this.#isOver) this.#worker.postMessage({ type: "received", bytes: all });
  }

  /** @param {Message} message */
  #take(message) {
    const whole = this.#join(message);
    if (!whole) return;
    this.#options.onEvent(whole);
    if (whole.id === undefined || ANNOUNCED.has(whole.event)) return;
    const asked = this.#waiting.get(whole.id);
    this.#waiting.delete(whole.id);
    if (whole.event === "error") asked?.reject(new Refused(whole.data));
    else asked?.resolve(whole);
  }

  /**
   * The whole answer, when the last of its parts is there.
   * @param {Message} message
   * @returns {Message | undefined}
   */
  #join(message) {
    const divided = DIVIDED[message.event];
    const { part, parts, ...data } = /** @type {Record<string, any>} */ (message.data);
    if (!divided || part === undefined) return message;
    const before = part > 1 ? this.#parts.get(message.event)?.[divided] : undefined;
    if (before !== undefined) data[divided] = typeof before === "string" ? before + data[divided] : [...before, ...data[divided]];
    this.#parts.set(message.event, data);
    return part === parts ? /** @type {Message} */ ({ ...message, data }) : undefined;
  }

  /** @param {(left: Left) => void} left @param {Written[]} files */
  #giveBack(left, files) {
    this.#isOver = true;
    this.#worker.onmessage = this.#worker.onerror = null;
    this.#reject();
    left({ worker: this.#worker, files });
  }

  /** @param {End} end */
  #end(end) {
    if (this.#isOver) return;
    this.#close();
    this.#options.onEnd(end);
  }

  #close() {
    this.#isOver = true;
    this.#worker.terminate();
    this.#left?.(undefined);
    this.#reject();
  }

  #reject() {
    for (const { reject } of this.#waiting.values()) reject(new Ended("The session has ended."));
    this.#waiting.clear();
    for (const resolve of this.#listing.splice(0)) resolve([]);
  }
}
