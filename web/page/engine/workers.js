// Workers with the engine. Each session has one of its own and ends with it, so that ending a session never depends on
// what the program does, and no memory of an earlier one is left.
import { EngineWorker } from "./engine-worker.js";

export class Workers {
  #make;
  #findServer;
  /** The worker for the next session. @type {Promise<EngineWorker> | undefined} */
  #next;
  /**
   * Called with how the engine waits in this browser, when that is known.
   * @type {(way: import("./engine-worker.js").Way) => void}
   */
  onWay = () => {};

  /**
   * @param {() => Worker} create Makes a worker that runs `worker.js`.
   * @param {import("./engine-worker.js").Engine} engine
   * @param {() => Promise<import("./engine-worker.js").Server>} findServer The service worker, once it is known whether
   *     there is one: browsers that cannot suspend the engine need it.
   */
  constructor(create, engine, findServer) {
    this.#make = () => new EngineWorker(create, engine, findServer);
    this.#findServer = findServer;
  }

  /** Loads the engine, so that the next session begins at once. */
  prepare() {
    if (this.#next) return;
    const next = (this.#next = this.#load());
    // Whoever takes it by then is told; later it is tried again.
    next.catch(() => { if (this.#next === next) this.#next = undefined; });
  }

  /**
   * A worker that has loaded the engine.
   * @param {EngineWorker} [known] One whose session is over: it is used again if it can be, or else ended.
   * @returns {Promise<EngineWorker>} Rejected with `NoEngine`, which states the reason in a sentence.
   */
  async take(known) {
    let worker = known;
    while (!worker || !(await this.#isUsable(worker))) {
      worker?.terminate();
      this.prepare();
      const next = /** @type {Promise<EngineWorker>} */ (this.#next);
      this.#next = undefined;
      worker = await next;
    }
    if (worker !== known) this.prepare();
    return worker;
  }

  /** Whether a worker is as it was when it had loaded the engine. @param {EngineWorker} worker */
  async #isUsable(worker) {
    return !worker.hasEnded && (worker.way !== "ask" || worker.server === (await this.#findServer()));
  }

  /** @returns {Promise<EngineWorker>} */
  async #load() {
    const first = this.#make();
    await first.load();
    const server = first.way === "suspend" ? undefined : await this.#findServer();
    const found = server ? await this.#asking(first, server) : first;
    this.onWay(found.way);
    return found;
  }

  /** A worker in place of one that cannot be suspended. @param {EngineWorker} first @param {ServiceWorkerRegistration} server */
  async #asking(first, server) {
    first.terminate();
    const second = this.#make();
    await second.load(server);
    return second;
  }
}
