// Values with their parts, as a tree. What is open stays open from stop to stop.
import { iconButton, openMenu, textButton } from "../base/controls.js";
import { make, number, visible } from "../../shared/elements.js";

/**
 * A row: a variable, a part of a value, or a group of variables.
 * @typedef {object} Node
 * @property {string} name
 * @property {string} value
 * @property {string} [type]
 * @property {number} [reference] For the parts of a value.
 * @property {number} [children] How many there are.
 * @property {string} [evaluateName]
 * @property {boolean} [mutable]
 * @property {boolean} [changed]
 * @property {boolean} [isWrong] Whether the value says what is wrong.
 * @property {number} [container] The reference of which it is a part.
 * @property {Node[]} [inside] The rows of a group.
 * @property {any} [owner] What the row belongs to.
 */

/**
 * @typedef {object} Options
 * @property {string} label The name of the tree.
 * @property {string} empty What is said if there is nothing.
 * @property {(node: Node, start: number) => Promise<{ children: Node[], total: number }>} parts
 * @property {() => unknown} moment The stop: what rows refer to is gone when it is over.
 * @property {(node: Node) => import("../base/controls.js").Choice[]} choices What can be done with a row.
 */

/** @typedef {{ key: string, level: number, node: Node, isOpen: boolean } | { key: string, level: number, more: () => void, left: number }} Row */

/** How deep and how much is opened again at a stop. */
const MOST_OPEN = 2000;

export class ValueTree {
  #tree = make("div", "tree");
  #options;
  /** What is open, and up to which part. @type {Map<string, number>} */
  #open = new Map();
  /** @type {Node[]} */
  #nodes = [];
  #shows = 0;
  #prefix = "";
  /** The stop at which these rows were. */
  #moment = /** @type {unknown} */ (undefined);

  /** @param {HTMLElement} place @param {Options} options */
  constructor(place, options) {
    this.#options = options;
    this.#tree.setAttribute("role", "tree");
    this.#tree.setAttribute("aria-label", options.label);
    this.#tree.addEventListener("keydown", (event) => this.#press(event));
    place.append(this.#tree);
    this.clear();
  }

  clear() {
    this.#shows++;
    this.#nodes = [];
    this.#tree.replaceChildren(this.#nothing());
  }

  /**
   * Shows rows.
   * @param {Node[]} nodes @param {string} prefix Rows with the same prefix and name are the same at other stops.
   * @param {string} none What is said if there are no rows.
   */
  async show(nodes, prefix = "", none = this.#options.empty) {
    [this.#nodes, this.#prefix, this.#moment] = [nodes, prefix, this.#options.moment()];
    await this.#refresh(none);
  }

  async #refresh(none = this.#options.empty) {
    const show = ++this.#shows;
    /** @type {Row[]} */
    const rows = [];
    try {
      await this.#collect(this.#nodes, this.#prefix, 1, rows);
    } catch {
      return;
    }
    if (show === this.#shows) this.#render(rows, none);
  }

  /** @param {Node[]} nodes @param {string} prefix @param {number} level @param {Row[]} rows */
  async #collect(nodes, prefix, level, rows) {
    for (const node of nodes) {
      const key = `${prefix}/${node.name}`;
      const isOpen = node.inside ? !this.#open.has(key) : this.#open.has(key) && Boolean(node.reference);
      rows.push({ key, level, node, isOpen });
      if (!isOpen || rows.length > MOST_OPEN) continue;
      if (node.inside) await this.#collect(node.inside, key, level + 1, rows);
      else await this.#collectParts(node, key, level + 1, rows);
    }
  }

  /** @param {Node} node @param {string} key @param {number} level @param {Row[]} rows */
  async #collectParts(node, key, level, rows) {
    const wanted = this.#open.get(key) ?? 0;
    let [at, total] = [0, 1];
    while (at < total && at < wanted) {
      if (this.#options.moment() !== this.#moment) throw new Error("The stop is over.");
      const page = await this.#options.parts(node, at);
      total = page.total;
      if (!page.children.length) break;
      at += page.children.length;
      await this.#collect(page.children.map((part) => ({ ...part, container: node.reference })), key, level, rows);
    }
    const left = total - at;
    if (left > 0) rows.push({ key: `${key}/…`, level, left, more: () => this.#toggle(key, wanted + 100) });
  }

  /** @param {Row[]} rows @param {string} none */
  #render(rows, none) {
    const hadFocus = this.#tree.contains(document.activeElement);
    const focused = this.#tree.querySelector("[tabindex='0']")?.getAttribute("data-key");
    const elements = rows.map((row) => ("more" in row ? this.#more(row) : this.#row(row)));
    this.#tree.replaceChildren(...(elements.length ? elements : [this.#nothing(none)]));
    const chosen = elements.find((element) => element.dataset.key === focused) ?? elements[0];
    if (chosen) chosen.tabIndex = 0;
    if (hadFocus) chosen?.focus();
  }

  /** @param {string} text */
  #nothing(text = this.#options.empty) {
    const nothing = make("div", "nothing", text);
    // A tree has rows only.
    nothing.setAttribute("role", "treeitem");
    return nothing;
  }

  /** @param {Extract<Row, { node: Node }>} row */
  #row({ key, level, node, isOpen }) {
    const canOpen = Boolean(node.inside || (node.reference && node.children));
    const element = make("div", node.inside ? "row group" : "row");
    const mark = make("span", "twist", canOpen ? (isOpen ? "▾" : "▸") : "");
    mark.setAttribute("aria-hidden", "true");
    const value = make("span", node.isWrong ? "value wrong" : "value", visible(node.value));
    element.append(mark, make("span", "name", visible(node.name)), value);
    if (node.type) element.title = visible(node.type);
    if (node.changed) element.classList.add("changed");
    this.#prepare(element, key, level);
    if (canOpen) element.setAttribute("aria-expanded", String(isOpen));
    if (node.changed) element.append(make("span", "spoken", " (changed)"));
    const toggle = () => { if (canOpen) this.#toggle(key, isOpen === Boolean(node.inside) ? 100 : 0); };
    element.addEventListener("click", () => { this.#focus(element); toggle(); });
    element.addEventListener("toggle-row", toggle);
    const openChoices = () => {
      const choices = this.#options.choices(node);
      if (choices.length) openMenu(element, choices);
    };
    element.addEventListener("contextmenu", (event) => { event.preventDefault(); openChoices(); });
    if (!node.inside) element.append(this.#choicesButton(node, openChoices));
    return element;
  }

  /** @param {Node} node @param {() => void} open */
  #choicesButton(node, open) {
    const button = iconButton("more", `More about ${visible(node.name)}`, open);
    button.tabIndex = -1;
    button.addEventListener("click", (event) => event.stopPropagation());
    return button;
  }

  /** @param {Extract<Row, { more: () => void }>} row */
  #more({ key, level, left, more }) {
    const element = make("div", "row more", `${number(left)} more …`);
    this.#prepare(element, key, level);
    element.addEventListener("click", more);
    element.addEventListener("toggle-row", more);
    return element;
  }

  /** @param {HTMLElement} element @param {string} key @param {number} level */
  #prepare(element, key, level) {
    element.setAttribute("role", "treeitem");
    element.setAttribute("aria-level", String(level));
    element.style.setProperty("--level", String(level));
    element.dataset.key = key;
    element.tabIndex = -1;
  }

  /** @param {string} key @param {number} wanted How many parts are shown, 0 to close it; a group is open unless it has an entry. */
  #toggle(key, wanted) {
    if (wanted) this.#open.set(key, wanted);
    else this.#open.delete(key);
    this.#refresh();
  }

  /** @param {HTMLElement} element */
  #focus(element) {
    for (const other of this.#tree.querySelectorAll("[tabindex='0']")) /** @type {HTMLElement} */ (other).tabIndex = -1;
    element.tabIndex = 0;
    element.focus();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const rows = /** @type {HTMLElement[]} */ ([...this.#tree.querySelectorAll(".row")]);
    const at = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const row = rows[at];
    if (!row) return;
    const isOpen = row.getAttribute("aria-expanded");
    const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key];
    if (next) this.#focus(next);
    else if (event.key === "ArrowRight" && isOpen === "false") row.dispatchEvent(new Event("toggle-row"));
    else if (event.key === "ArrowLeft") this.#closeOrLeave(rows, at);
    else if (event.key === "Enter" || event.key === " ") row.dispatchEvent(new Event(isOpen === null && !row.classList.contains("more") ? "contextmenu" : "toggle-row", { cancelable: true }));
    else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) row.dispatchEvent(new Event("contextmenu", { cancelable: true }));
    else return;
    event.preventDefault();
  }

  /** @param {HTMLElement[]} rows @param {number} at */
  #closeOrLeave(rows, at) {
    if (rows[at].getAttribute("aria-expanded") === "true") return rows[at].dispatchEvent(new Event("toggle-row"));
    const level = Number(rows[at].getAttribute("aria-level"));
    const above = rows.slice(0, at).findLast((row) => Number(row.getAttribute("aria-level")) < level);
    if (above) this.#focus(above);
  }
}
