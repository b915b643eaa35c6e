// Expressions whose values are shown at each stop.
import { make } from "../../shared/elements.js";
import { Emitter } from "../base/emitter.js";
import { Refresher } from "../engine/refresher.js";
import { ValueTree } from "./value-tree.js";
import { partsOf } from "./variables.js";

/** @typedef {import("../engine/debuggee.js").Debuggee} Debuggee */

/** `changed`: there are other expressions. @extends {Emitter<{ changed: undefined }>} */
export class Watches extends Emitter {
  #debuggee;
  #tree;
  /** @type {string[]} */
  #expressions = [];
  #refresher;

  /** @param {HTMLElement} place @param {Debuggee} debuggee @param {import("./variables.js").Origins} origins */
  constructor(place, debuggee, origins) {
    super();
    this.#debuggee = debuggee;
    this.#tree = new ValueTree(place, {
      label: "Watches",
      empty: "Expressions whose values are shown at each stop.",
      parts: (node, start) => partsOf(debuggee, node, start),
      moment: () => debuggee.stop,
      choices: (node) => [...(node.owner === undefined ? [] : [{ text: "Remove", action: () => this.#remove(node.owner) }]), ...origins(node)],
    });
    const input = make("input", "");
    input.type = "text";
    input.setAttribute("aria-label", "New watch");
    Object.assign(input, { placeholder: "Expression", autocomplete: "off", spellcheck: false });
    const form = make("form", "add", input, make("button", "", "Watch"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.add(input.value);
      input.value = "";
    });
    place.append(form);
    this.#refresher = new Refresher(debuggee, () => debuggee.ask("getWatches", {}), ({ data }) => this.#show(data.watches));
    debuggee.on("settled", () => this.refresh());
    debuggee.on("event", ({ event }) => { if (event === "watchUpdate" && debuggee.isStopped) this.refresh(); });
    debuggee.on("ended", () => this.#showNames());
  }

  /** All expressions, for the next session. */
  get expressions() {
    return this.#expressions;
  }

  /** Those of an earlier visit. @param {string[]} expressions */
  restore(expressions) {
    this.#expressions = [...expressions];
    this.#showNames();
  }

  /** Adds an expression. @param {string} expression */
  async add(expression) {
    const text = expression.trim();
    if (!text || this.#expressions.includes(text)) return;
    this.#expressions.push(text);
    this.emit("changed", undefined);
    this.#showNames();
    try {
      await this.#debuggee.ask("addWatch", { expression: text });
      this.refresh();
    } catch {
      // It is added when the next program is debugged.
    }
  }

  /** Asks for the values. */
  refresh() {
    if (this.#expressions.length) this.#refresher.refresh();
  }

  /** @param {import("../../../examples/typescript/protocol.ts").Watch[]} watches */
  #show(watches) {
    const nodes = watches.map(({ expression, value, error, ...rest }) =>
      ({ name: expression, evaluateName: expression, value: error ?? value ?? "", isWrong: error !== undefined, owner: expression, ...rest }));
    this.#tree.show(nodes);
  }

  #showNames() {
    if (!this.#expressions.length) return this.#tree.clear();
    this.#tree.show(this.#expressions.map((expression) => ({ name: expression, value: "", owner: expression })));
  }

  /** @param {string} expression */
  async #remove(expression) {
    this.#expressions = this.#expressions.filter((other) => other !== expression);
    this.emit("changed", undefined);
    this.#showNames();
    try {
      const { data } = await this.#debuggee.ask("getWatches", {});
      const known = data.watches.find((watch) => watch.expression === expression);
      if (known) await this.#debuggee.ask("removeWatch", { id: known.id });
      this.refresh();
    } catch {
      // There is no session that has it.
    }
  }
}
