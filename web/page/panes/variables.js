// The variables of the call that is looked at.
import { ask as question } from "../base/controls.js";
import { Emitter } from "../base/emitter.js";
import { Refresher } from "../engine/refresher.js";
import { ValueTree } from "./value-tree.js";

/**
 * @typedef {import("../engine/debuggee.js").Debuggee} Debuggee
 * @typedef {import("./value-tree.js").Node} Node
 * @typedef {import("../../../examples/typescript/protocol.ts").Variable} Variable
 * @typedef {import("../base/controls.js").Choice} Choice
 */

/** What else can be done with a value. @typedef {(node: Node) => Choice[]} Origins */

const TITLES = { parameter: "Parameters", local: "Variables", global: "Global variables" };

/**
 * `watched`: the program is to stop when something is changed.
 * @extends {Emitter<{ known: Variable[], watched: import("../engine/other-breakpoints.js").OfData }>}
 */
export class Variables extends Emitter {
  #debuggee;
  #tree;
  #refresher;

  /** @param {HTMLElement} place @param {Debuggee} debuggee @param {Origins} origins */
  constructor(place, debuggee, origins) {
    super();
    this.#debuggee = debuggee;
    this.#tree = new ValueTree(place, {
      label: "Variables",
      empty: "No variables: the program is not stopped.",
      parts: (node, start) => partsOf(debuggee, node, start),
      moment: () => debuggee.stop,
      choices: (node) => [...changeChoices(debuggee, node, () => this.refresh()), ...origins(node), ...this.#dataChoices(node)],
    });
    this.#refresher = new Refresher(debuggee, () => debuggee.ask("getVariables", { frameIndex: debuggee.frameIndex }), ({ data }) => this.#show(data.variables));
    debuggee.on("settled", () => this.#show(debuggee.variables ?? []));
    debuggee.on("frame", () => this.refresh());
    debuggee.on("changed", () => { if (debuggee.status === "idle" || debuggee.status === "loading") this.#tree.clear(); });
  }

  /** Stopping at changes. @param {Node} node @returns {Choice[]} */
  #dataChoices({ name, evaluateName, container, mutable }) {
    if (!evaluateName || !mutable || !this.#debuggee.isStopped) return [];
    const where = container ? { reference: container } : { frameIndex: this.#debuggee.frameIndex };
    return [{ text: "Stop when it changes", action: () => this.emit("watched", { name, ...where }) }];
  }

  refresh() {
    this.#refresher.refresh();
  }

  /** @param {Variable[]} variables Those of the call that is looked at. */
  #show(variables) {
    const { frames, frameIndex } = this.#debuggee;
    this.emit("known", variables);
    this.#tree.show(groups(variables), frames[frameIndex]?.function, "There are no variables here yet.");
  }
}

/** @param {Variable[]} variables @returns {Node[]} */
function groups(variables) {
  return Object.entries(TITLES).flatMap(([scope, title]) => {
    const inside = variables.filter((variable) => variable.scope === scope);
    return inside.length ? [{ name: title, value: "", inside }] : [];
  });
}

/** The parts of a value. @param {Debuggee} debuggee @param {Node} node @param {number} start */
export async function partsOf(debuggee, node, start) {
  const { data } = await debuggee.ask("getChildren", { reference: node.reference ?? 0, start, count: 100 });
  return { children: /** @type {Node[]} */ (data.children), total: data.total };
}

/** Setting a value. @param {Debuggee} debuggee @param {Node} node @param {() => void} done @returns {Choice[]} */
function changeChoices(debuggee, node, done) {
  if (!node.mutable || debuggee.isInPast) return [];
  const take = async (/** @type {Record<string, string>} */ { value }) => {
    const where = node.container ? { reference: node.container } : { frameIndex: debuggee.frameIndex };
    try {
      await debuggee.ask("setVariable", { ...where, name: node.name, value });
      done();
    } catch (error) {
      return /** @type {Error} */ (error).message;
    }
  };
  const fields = [{ name: "value", label: "Value", value: node.value, hint: "An expression" }];
  return [{ text: "Set value …", action: () => question({ title: `Set ${node.evaluateName ?? node.name}`, fields, button: "Set", take }) }];
}
