// Messages for a worker that receives none while the engine runs: it asks for them, by requests that the page's service
// worker passes on (offline/sw.js).

/** The channel between the page and its service worker. @param {string} context */
const channelName = (context) => `ez ${new URL(".", location.href).href} ${context}`;

/** Answers a worker. */
export class Answers {
  #channel;
  /** @type {object[]} */
  #messages = [];
  /** The number of the latest request. */
  #number = 0;
  /** What it was answered with: if that was lost, it is asked again. @type {object[] | undefined} */
  #answer;
  /** @type {number | undefined} */
  #timer;

  constructor() {
    const context = crypto.randomUUID();
    /** Where the worker asks. */
    this.address = `ask?context=${context}`;
    this.#channel = new BroadcastChannel(channelName(context));
    this.#channel.onmessage = ({ data: { number, wait } }) => this.#take(number, wait);
  }

  /** Gives the worker a message when it asks. @param {object} message */
  add(message) {
    this.#messages.push(message);
    if (this.#timer !== undefined) this.#send();
  }

  /** Forgets what the worker has not asked for. */
  clear() {
    this.#messages = [];
  }

  close() {
    clearTimeout(this.#timer);
    this.#channel.close();
  }

  /** @param {number} number @param {number} wait How long it waits for a message, in milliseconds. */
  #take(number, wait) {
    // It only wants to know whether requests are answered.
    if (number === 0) return this.#channel.postMessage({ number, messages: [] });
    if (number !== this.#number) {
      this.#number = number;
      this.#answer = undefined;
    }
    clearTimeout(this.#timer);
    if (this.#answer || this.#messages.length || !(wait > 0)) this.#send();
    else this.#timer = setTimeout(() => this.#send(), wait);
  }

  #send() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#answer ??= this.#messages.splice(0);
    this.#channel.postMessage({ number: this.#number, messages: this.#answer });
  }
}
