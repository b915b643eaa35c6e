// Workers with the engine. Each session has one of its own and ends with it, so that ending a session never depends on
// what the program does, and no memory of an earlier one is left.
import { EngineWorker } from "./engine-worker.js";

export class Workers {
  #create;
  #engine;
  #canAsk;
  /** The worker for the next session. @type {Promise<EngineWorker> | undefined} */
  #next;
  /**
   * Called with how the engine waits in this browser, when that is known.
   * @type {(way: import("./engine-worker.js").Way) => void}
   */
  onWay = () => {};

  /**
   * @param {() => Worker} create Makes a worker that runs `worker.js`.
   * @param {string} engine The address of the engine.
   * @param {() => Promise<boolean>} canAsk Whether a service worker is there, once that is known: browsers that cannot
   *     suspend the engine need one.
   */
  constructor(create, engine, canAsk) {
    this.#create = create;
    this.#engine = engine;
    this.#canAsk = canAsk;
  }

  /** Loads the engine, so that the next session begins at once. */
  prepare() {
    this.#next ??= this.#load();
    // Whoever takes it is told.
    this.#next.catch(() => {});
  }

  /**
   * A worker that has loaded the engine.
   * @returns {Promise<EngineWorker>} Rejected with `NoEngine`, which states the reason in a sentence.
   */
  async take() {
    this.prepare();
    const next = /** @type {Promise<EngineWorker>} */ (this.#next);
    this.#next = undefined;
    const worker = await next;
    this.prepare();
    return worker;
  }

  /** @returns {Promise<EngineWorker>} */
  async #load() {
    const first = new EngineWorker(this.#create);
    await first.load(this.#engine, false);
    const found = first.way === "suspend" || !(await this.#canAsk()) ? first : await this.#asking(first);
    this.onWay(found.way);
    return found;
  }

  /** A worker in place of one that cannot be suspended. @param {EngineWorker} first */
  async #asking(first) {
    first.terminate();
    const second = new EngineWorker(this.#create);
    await second.load(this.#engine, true);
    return second;
  }
}
