// Steps that are asked for while another one is in progress: each press is a step, but a key that is held down does not
// pile them up, and whatever happens other than a step ends those that wait.

/** @typedef {import("./debuggee.js").Resuming} Resuming */

/** So many steps wait at most. */
const MOST = 50;

/** The commands that are steps. @type {ReadonlySet<string>} */
export const STEPS = new Set(["stepInto", "stepOver", "stepOut", "stepBack", "stepBackOver", "stepBackOut"]);

export class StepQueue {
  /** @type {Resuming[]} */
  #waiting = [];

  /**
   * Lets a command wait for the one in progress, if both are steps.
   * @param {Resuming} command @param {string | undefined} inProgress @param {boolean} isHeld
   */
  add(command, inProgress, isHeld) {
    const canWait = STEPS.has(command) && STEPS.has(inProgress ?? "");
    if (canWait && !isHeld && this.#waiting.length < MOST) this.#waiting.push(command);
  }

  /**
   * The step that follows a stop.
   * @param {string} reason Why the program has stopped. @param {boolean} isEnd Whether it can only end from here on.
   */
  next(reason, isEnd) {
    // A step out of the past ends in the present.
    if (isEnd || (reason !== "step" && reason !== "present")) this.clear();
    return this.#waiting.shift();
  }

  clear() {
    this.#waiting = [];
  }
}
