// What a pane shows of a stop is asked for anew whenever something may have changed, and shown only if it is of now.

/**
 * Asks, and shows the answer, one at a time. What is asked for meanwhile is asked afterwards; an answer about a stop that
 * is over, or about another call than the one that is looked at, is not shown.
 * @template T
 */
export class Refresher {
  #debuggee;
  #ask;
  #show;
  #isBusy = false;
  #isWanted = false;

  /**
   * @param {import("./debuggee.js").Debuggee} debuggee
   * @param {() => Promise<T>} ask @param {(answer: T) => void} show
   */
  constructor(debuggee, ask, show) {
    this.#debuggee = debuggee;
    this.#ask = ask;
    this.#show = show;
  }

  async refresh() {
    this.#isWanted = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#isWanted && this.#debuggee.isStopped) {
      this.#isWanted = false;
      const { stop, frameIndex } = this.#debuggee;
      try {
        const answer = await this.#ask();
        if (this.#debuggee.isStopped && stop === this.#debuggee.stop && frameIndex === this.#debuggee.frameIndex) this.#show(answer);
      } catch {
        // The program goes on already; another stop asks again.
      }
    }
    this.#isWanted = this.#isBusy = false;
  }
}
