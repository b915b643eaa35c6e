// Workers with the engine. Each session has one of its own and ends with it, so that ending a session never depends on
// what the program does, and no memory of an earlier one is left.

/** The engine cannot be used in this browser, or cannot be loaded. */
export class NoEngine extends Error {}

export class Workers {
  #create;
  #engine;
  /** The worker for the next session. @type {Promise<Worker> | undefined} */
  #next;

  /**
   * @param {() => Worker} create Makes a worker that runs `worker.js`.
   * @param {string} engine The address of the engine.
   */
  constructor(create, engine) {
    this.#create = create;
    this.#engine = engine;
  }

  /** Loads the engine, so that the next session begins at once. */
  prepare() {
    this.#next ??= this.#load();
    // Whoever takes it is told.
    this.#next.catch(() => {});
  }

  /**
   * A worker that has loaded the engine.
   * @returns {Promise<Worker>} Rejected with `NoEngine`, which states the reason in a sentence.
   */
  async take() {
    this.prepare();
    const next = /** @type {Promise<Worker>} */ (this.#next);
    this.#next = undefined;
    const worker = await next;
    this.prepare();
    return worker;
  }

  /** @returns {Promise<Worker>} */
  #load() {
    return new Promise((resolve, reject) => {
      const worker = this.#create();
      const fail = (/** @type {string} */ reason) => {
        worker.terminate();
        reject(new NoEngine(reason));
      };
      worker.onmessage = ({ data }) => {
        if (data.type === "ready") resolve(worker);
        else if (data.type === "unsupported" || data.type === "failed") fail(data.message);
      };
      worker.onerror = (error) => {
        error.preventDefault();
        fail(`The engine cannot be loaded${error.message ? ": " + error.message : ". Is there a connection?"}`);
      };
      worker.postMessage({ type: "load", url: this.#engine });
    });
  }
}
