/**
 * Tells those who listen what has happened.
 * @template {Record<string, any>} Events The value that goes with each name.
 */
export class Emitter {
  /** @type {Map<keyof Events, Set<(value: any) => void>>} */
  #listeners = new Map();

  /**
   * Calls `listener` whenever something of that name happens.
   * @template {keyof Events} Name
   * @param {Name} name @param {(value: Events[Name]) => void} listener
   */
  on(name, listener) {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener));
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name @param {Events[Name]} value
   */
  emit(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }
}
