// A worker with the engine (worker.js). However the engine waits in this browser, messages are sent and received as with
// any worker.
import { Answers, askAddress } from "./asked.js";

/** The engine cannot be used in this browser, or cannot be loaded. */
export class NoEngine extends Error {}

/**
 * `suspend`: it receives messages; `ask`: it asks for them; `given`: it must have all when a session starts.
 * @typedef {"suspend" | "ask" | "given"} Way
 */

/** These are received while no session runs. */
const ALWAYS_RECEIVED = new Set(["load", "start", "startPast"]);

export class EngineWorker {
  /** @type {((event: { data: any }) => void) | null} */
  onmessage = null;
  /** @type {((event: ErrorEvent) => void) | null} */
  onerror = null;
  /** How the engine waits. @type {Way} */
  way = "suspend";

  #create;
  #worker;
  /** @type {Answers | undefined} */
  #answers;
  /** The session that starts when all that it is given is known. @type {{ lines: string[] } | undefined} */
  #starting;
  /** The workers with the past of the session, by number. @type {Map<number, EngineWorker>} */
  #pasts = new Map();
  #engine = "";

  /** @param {() => Worker} create Makes a worker that runs `worker.js`. */
  constructor(create) {
    this.#create = create;
    this.#worker = create();
    this.#worker.onmessage = (event) => this.#receive(event);
    this.#worker.onerror = (error) => this.onerror?.(error);
  }

  /**
   * Loads the engine.
   * @param {string} engine Its address. @param {boolean} canAsk Whether a service worker passes requests on.
   * @returns {Promise<void>} Rejected with `NoEngine`, which states the reason in a sentence; then the worker has ended.
   */
  load(engine, canAsk) {
    this.#engine = engine;
    return new Promise((resolve, reject) => {
      const fail = (/** @type {string} */ reason) => {
        this.terminate();
        reject(new NoEngine(reason));
      };
      this.onmessage = ({ data }) => {
        if (data.type === "ready") {
          this.way = data.way;
          if (this.way !== "ask") this.#close();
          resolve();
        } else if (data.type === "unsupported" || data.type === "failed") fail(data.message);
      };
      this.onerror = (error) => {
        error.preventDefault();
        fail(`The engine cannot be loaded${error.message ? ": " + error.message : ". Is there a connection?"}`);
      };
      const context = canAsk ? crypto.randomUUID() : undefined;
      if (context) this.#answers = new Answers(context);
      this.#worker.postMessage({ type: "load", url: engine, ask: context && askAddress(context) });
    });
  }

  /** @param {{ type: string, [more: string]: any }} message */
  postMessage(message) {
    if (this.way === "given") return this.#give(message);
    if (this.way === "suspend" || ALWAYS_RECEIVED.has(message.type)) {
      this.#answers?.clear();
      this.#worker.postMessage(message);
    } else this.#answers?.add(message);
  }

  terminate() {
    this.#worker.terminate();
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
      setTimeout(() => { this.#starting = undefined; this.#worker.postMessage(starting); });
    } else if (message.type === "line") this.#starting?.lines.push(message.text);
  }

  /** @param {MessageEvent} event */
  #receive(event) {
    const { type, number, bytes } = event.data;
    if (type === "past" && number !== undefined) this.#past(number).postMessage({ type: "bytes", bytes: encoded(bytes) });
    else if (type === "endPast") {
      this.#pasts.get(number)?.terminate();
      this.#pasts.delete(number);
    } else this.onmessage?.(event);
  }

  /** The worker with a past of the session. @param {number} number */
  #past(number) {
    const known = this.#pasts.get(number);
    if (known) return known;
    const past = new EngineWorker(this.#create);
    this.#pasts.set(number, past);
    past.way = "ask";
    const fail = (/** @type {string} */ message) => this.onmessage?.({ data: { type: "failed", message } });
    past.load(this.#engine, true).then(() => {
      past.onmessage = ({ data }) => {
        if (data.type === "past") this.postMessage({ type: "past", number, bytes: encoded(data.bytes) });
        else if (data.type === "failed") fail(data.message);
      };
      past.#worker.postMessage({ type: "startPast" });
    }, (error) => fail(error.message));
    return past;
  }
}

/** Bytes as a text. @param {Uint8Array} bytes */
function encoded(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 8192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(pieces.join(""));
}
