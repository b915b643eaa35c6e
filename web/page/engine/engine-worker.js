// A worker with the engine (worker.js). However the engine waits in this browser, messages are sent and received as with
// any worker.
import { Answers } from "./asked.js";

/** The engine cannot be used in this browser, or cannot be loaded. */
export class NoEngine extends Error {
  /** @param {string} reason A sentence. @param {boolean} canHelp Whether loading the page again may help. */
  constructor(reason, canHelp) {
    super(reason);
    this.canHelp = canHelp;
  }
}

/** Where the engine is, and the sum that it has in it. @typedef {{ url: string, sum: string }} Engine */
/** What passes the requests of workers on, if anything. @typedef {ServiceWorkerRegistration | undefined} Server */

/**
 * `suspend`: it receives messages; `ask`: it asks for them; `given`: it must have all when a session starts.
 * @typedef {"suspend" | "ask" | "given"} Way
 */

/**
 * How many workers are made, and after what time in milliseconds another one, until one can ask. Safari lets a worker that
 * is made soon after the page is first served ask past the service worker.
 */
const MOST_WORKERS = 5;
const ANOTHER_AFTER = 200;
/**
 * After what time in milliseconds another worker is made if nothing is heard of one. What a browser closes as it begins is
 * told to nobody.
 */
const LONGEST_BEGIN = 10000;

/** These are received while no session runs. */
const ALWAYS_RECEIVED = new Set(["load", "start", "startPast"]);

export class EngineWorker {
  /** @type {((event: { data: any }) => void) | null} */
  onmessage = null;
  /** @type {((event: ErrorEvent) => void) | null} */
  onerror = null;
  /** How the engine waits. @type {Way} */
  way = "suspend";

  /** What passes its requests on. @type {Server} */
  server;
  /** Whether it has ended by itself. */
  hasEnded = false;

  #create;
  #engine;
  #findServer;
  /** There is none before the engine is loaded: what serves a worker is what serves the page when it is made. @type {Worker | undefined} */
  #worker;
  /** @type {Answers | undefined} */
  #answers;
  /** The session that starts when all that it is given is known. @type {{ lines: string[] } | undefined} */
  #starting;
  /** The workers with the past of the session, by number. @type {Map<number, EngineWorker>} */
  #pasts = new Map();
  /** The name of the lock that it holds. */
  #lock = newLock();
  /** Ends what is told of its end. */
  #terminated = new AbortController();
  /** Waits for the first that is heard of it. @type {ReturnType<typeof setTimeout> | undefined} */
  #beginning;

  /**
   * @param {() => Worker} create Makes a worker that runs `worker.js`.
   * @param {Engine} engine
   * @param {() => Promise<Server>} findServer What passes requests on, once that is known.
   */
  constructor(create, engine, findServer) {
    this.#create = create;
    this.#engine = engine;
    this.#findServer = findServer;
  }

  /**
   * Loads the engine.
   * @param {Server} [server] What passes requests on.
   * @returns {Promise<void>} Rejected with `NoEngine`; then the worker has ended.
   */
  async load(server) {
    this.server = server;
    for (let count = 1; ; count++) {
      const hasBegun = await this.#start(server, count === MOST_WORKERS);
      if ((hasBegun && !(server && this.way === "given")) || count === MOST_WORKERS) break;
      this.#discard();
      await new Promise((resolve) => setTimeout(resolve, ANOTHER_AFTER));
      if (this.#terminated.signal.aborted) return;
    }
    if (this.way !== "ask") this.#close();
  }

  /** Ends a worker that is of no use. */
  #discard() {
    // What it is sent meanwhile waits for the next one.
    this.way = "ask";
    this.#terminated.abort();
    this.#terminated = new AbortController();
    this.#worker?.terminate();
    clearTimeout(this.#beginning);
    this.#lock = newLock();
  }

  /**
   * Makes a worker, which loads the engine.
   * @param {Server} server @param {boolean} isLast Whether no other one is made.
   * @returns {Promise<boolean>} Whether it has begun.
   */
  #start(server, isLast) {
    const worker = (this.#worker = this.#create());
    worker.onmessage = (event) => this.#receive(event);
    worker.onerror = (error) => this.onerror?.(error);
    return new Promise((resolve, reject) => {
      const fail = (/** @type {string} */ reason, canHelp = true) => {
        this.terminate();
        reject(new NoEngine(reason, canHelp));
      };
      this.onmessage = ({ data }) => {
        if (data.type === "ready") {
          this.way = data.way;
          resolve(true);
        } else if (data.type === "unsupported" || data.type === "failed") fail(data.message, data.type === "failed");
      };
      this.onerror = (error) => {
        error.preventDefault();
        fail(`The engine cannot be loaded: the server does not give its script, worker.js${error.message ? ` (${error.message})` : ""}. Load the page again, when there is a connection; if that does not help, all files of the page have to be put on the server again.`);
      };
      const begin = async () => {
        if (await isKnown(this.#lock)) return;
        if (isLast) fail("The engine cannot be loaded: the browser does not let its script begin. Load the page again.");
        else resolve(false);
      };
      this.#beginning = this.#lock && navigator.locks ? setTimeout(begin, LONGEST_BEGIN) : undefined;
      if (server) this.#answers ??= new Answers();
      worker.postMessage({ type: "load", ...this.#engine, ask: this.#answers?.address, lock: this.#lock });
    });
  }

  /** Waits for the end of the worker, which holds a lock while it lives: browsers tell nobody else. */
  #watch() {
    const { signal } = this.#terminated;
    const ended = () => {
      if (signal.aborted) return;
      this.hasEnded = true;
      this.onmessage?.({ data: { type: "failed", message: "The engine has ended: the browser has closed it, perhaps for want of memory." } });
    };
    navigator.locks.request(this.#lock, { signal }, ended).catch(() => {});
  }

  /** @param {{ type: string, [more: string]: any }} message */
  postMessage(message) {
    if (this.way === "given") return this.#give(message);
    if (this.way === "suspend" || ALWAYS_RECEIVED.has(message.type)) {
      this.#answers?.clear();
      this.#worker?.postMessage(message);
    } else this.#answers?.add(message);
  }

  terminate() {
    this.#terminated.abort();
    clearTimeout(this.#beginning);
    this.#worker?.terminate();
    this.#close();
    for (const past of this.#pasts.values()) past.terminate();
    this.#pasts.clear();
  }

  #close() {
    this.#answers?.close();
    this.#answers = undefined;
  }

  /** Starts a session with all that it is sent now. @param {{ type: string, [more: string]: any }} message */
  #give(message) {
    if (message.type === "start") {
      const starting = (this.#starting = { ...message, lines: [] });
      // The first commands are sent by then.
      setTimeout(() => { this.#starting = undefined; this.#worker?.postMessage(starting); });
    } else if (message.type === "line") this.#starting?.lines.push(message.text);
  }

  /** @param {MessageEvent} event */
  #receive(event) {
    const { type, number, bytes } = event.data;
    clearTimeout(this.#beginning);
    if (type === "held") this.#watch();
    else if (type === "past" && number !== undefined) this.#past(number).postMessage({ type: "bytes", bytes: encoded(bytes) });
    else if (type === "endPast") {
      this.#pasts.get(number)?.terminate();
      this.#pasts.delete(number);
    } else this.onmessage?.(event);
  }

  /** The worker with a past of the session. @param {number} number */
  #past(number) {
    const known = this.#pasts.get(number);
    if (known) return known;
    const past = new EngineWorker(this.#create, this.#engine, this.#findServer);
    this.#pasts.set(number, past);
    past.way = "ask";
    // From now on it is sent what it will ask for.
    past.#answers = new Answers();
    this.#begin(past, number).catch((error) => this.onmessage?.({ data: { type: "failed", message: `The past cannot be shown. ${error.message}` } }));
    return past;
  }

  /** @param {EngineWorker} past @param {number} number @throws A reason, in a sentence. */
  async #begin(past, number) {
    const server = await this.#findServer();
    if (past.#terminated.signal.aborted) return;
    await past.load(server);
    if (past.#terminated.signal.aborted) return;
    if (past.way !== "ask") {
      past.terminate();
      throw new Error(NOT_SERVED);
    }
    past.onmessage = ({ data }) => {
      if (data.type === "past") this.postMessage({ type: "past", number, bytes: encoded(data.bytes) });
      else if (data.type === "failed") this.onmessage?.({ data });
    };
    past.#worker?.postMessage({ type: "startPast" });
  }
}

const NOT_SERVED = "The browser does not keep the page's service worker any more, which this needs: load the page again.";

/** Whether somebody holds a lock, or waits for it. @param {string} name */
async function isKnown(name) {
  const { held = [], pending = [] } = await navigator.locks.query();
  return [...held, ...pending].some((lock) => lock.name === name);
}

/** A name of its own; pages of some addresses have no locks. */
function newLock() {
  return globalThis.crypto.randomUUID?.() ?? "";
}

/** Bytes as a text. @param {Uint8Array} bytes */
function encoded(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 8192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(pieces.join(""));
}
