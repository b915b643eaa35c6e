// How the text of an input can go on: a list, from which the arrow keys choose and the tab key takes.
import { make, visible } from "../../shared/elements.js";

/**
 * @typedef {import("../../../examples/typescript/protocol.ts").Completion} Completion
 * @typedef {(text: string, column: number) => Promise<Completion[]>} Ask
 */

/** How many are listed. */
const MOST = 100;

let lists = 0;

export class CompletionList {
  #input;
  #ask;
  #list = make("ul", "completions");
  /** @type {Completion[]} */
  #found = [];
  /** The one that is chosen, -1 for none. */
  #at = -1;
  #asked = 0;

  /** @param {HTMLInputElement} input @param {Ask} ask */
  constructor(input, ask) {
    this.#input = input;
    this.#ask = ask;
    this.#list.id = `completions-${++lists}`;
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", "Completions");
    const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-controls": this.#list.id };
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
    input.before(this.#list);
    input.addEventListener("input", () => this.#refresh());
    input.addEventListener("blur", () => this.close());
    // The focus stays in the input.
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => {
      const item = target instanceof Element ? target.closest("li") : null;
      if (item) this.#take(this.#found[[...this.#list.children].indexOf(item)]);
    });
    this.close();
  }

  close() {
    this.#asked++;
    this.#show([]);
  }

  /**
   * Whether a key was for the list.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const { length } = this.#found;
    if (!length || event.ctrlKey || event.altKey || event.metaKey) return false;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) this.#choose(this.#at < 0 && by < 0 ? length - 1 : (this.#at + by + length) % length);
    else if (event.key === "Escape") this.close();
    else if (event.key === "Tab" && !event.shiftKey) this.#take(this.#found[Math.max(0, this.#at)]);
    else if (event.key === "Enter" && this.#at >= 0) this.#take(this.#found[this.#at]);
    else return false;
    event.preventDefault();
    return true;
  }

  async #refresh() {
    const asked = ++this.#asked;
    const { value, selectionStart } = this.#input;
    const before = value.slice(0, selectionStart ?? value.length);
    if (!/[\p{L}\p{N}_.]$/u.test(before)) return this.#show([]);
    /** @type {Completion[]} */
    let found;
    try {
      found = await this.#ask(value, Array.from(before).length + 1);
    } catch {
      // Where nothing can be evaluated, nothing goes on.
      found = [];
    }
    if (asked === this.#asked) this.#show(found.slice(0, MOST));
  }

  /** @param {Completion[]} found */
  #show(found) {
    this.#found = found;
    this.#list.hidden = !found.length;
    this.#input.setAttribute("aria-expanded", String(found.length > 0));
    this.#list.replaceChildren(...found.map(({ label, detail }, at) => {
      const item = make("li", "", visible(label), ...(detail ? [make("small", "", visible(detail))] : []));
      item.id = `${this.#list.id}-${at}`;
      item.setAttribute("role", "option");
      return item;
    }));
    this.#choose(-1);
  }

  /** @param {number} at */
  #choose(at) {
    this.#at = at;
    [...this.#list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
    const chosen = this.#list.children[at];
    chosen?.scrollIntoView({ block: "nearest" });
    if (chosen) this.#input.setAttribute("aria-activedescendant", chosen.id);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  /** @param {Completion} completion */
  #take({ label, start, length }) {
    const { value, selectionStart } = this.#input;
    const letters = Array.from(value);
    const before = letters.slice(0, start - 1).join("") + label;
    // More may have been written since the list was asked for.
    const end = Math.max(start - 1 + length, Array.from(value.slice(0, selectionStart ?? 0)).length);
    this.#input.value = before + letters.slice(end).join("");
    this.#input.setSelectionRange(before.length, before.length);
    this.close();
  }
}
