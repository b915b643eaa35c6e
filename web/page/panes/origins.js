// Where values, lines and texts come from: "How was this computed?", "Where does it come from?", "Who printed this?".
import { textButton } from "../base/controls.js";
import { make, number, visible } from "../../shared/elements.js";
import { computedElement } from "./computed.js";

/**
 * @typedef {import("../engine/debuggee.js").Debuggee} Debuggee
 * @typedef {import("../engine/session.js").Commands} Commands
 * @typedef {import("./value-tree.js").Node} Node
 * @typedef {import("../../../examples/typescript/protocol.ts").Change} Change
 */

/** How many changes are asked for at once. */
const PAGE = 50;

const CAUSES = { written: "changed", client: "changed in the debugger", declared: "declared", passed: "passed", created: "created" };

export class Origins {
  #debuggee;
  #place;
  #options;
  /** What is said when the program is at a step. @type {{ step: number, text: string } | undefined} */
  #found;

  /**
   * @param {HTMLElement} place @param {Debuggee} debuggee
   * @param {object} options
   * @param {() => void} options.reveal Brings the place into sight.
   * @param {(text: string) => void} options.say
   * @param {(where: import("./position.js").Where | undefined) => void} options.mark Marks a part of the program.
   * @param {(expression: string) => void} options.watch
   */
  constructor(place, debuggee, options) {
    this.#place = place;
    this.#debuggee = debuggee;
    this.#options = options;
    debuggee.on("launched", () => this.#clear());
    debuggee.on("stopped", ({ step }) => {
      const found = this.#found;
      this.#found = undefined;
      if (found && found.step === step) options.say(found.text);
    });
    this.#clear();
  }

  /** What can be asked about a value. @param {Node} node @returns {import("../base/controls.js").Choice[]} */
  choices(node) {
    const { evaluateName } = node;
    if (!evaluateName || !this.#debuggee.isStopped) return [];
    const watch = node.owner === undefined ? [{ text: "Watch", action: () => this.#options.watch(evaluateName) }] : [];
    if (!this.#debuggee.hasPast) return watch;
    return [
      { text: "How was this computed?", action: () => this.#computed(evaluateName) },
      { text: "Where does it come from?", action: () => this.#changes(evaluateName) },
      ...watch,
    ];
  }

  /** How the statement was computed that was carried out last in this call, or what the next one will compute. @param {boolean} isNext */
  async statement(isNext) {
    await this.#unfold({ frameIndex: this.#debuggee.frameIndex, ...(isNext ? { next: true } : {}) });
  }

  /** Goes to the statement that has written a byte of the output. @param {number} offset */
  async printer(offset) {
    await this.#try(async () => {
      const { data } = await this.#debuggee.ask("outputStep", { offset });
      if (data.client) return this.#options.say("An evaluation of yours has written this.");
      const { location, step } = data;
      const text = `Line ${location.line} of ${location.file?.split("/").at(-1)} has written this, ${data.ensure ? "when its function ended, after" : "in"} step ${number(step)}.`;
      if (step === this.#debuggee.stop?.step) return this.#options.say(text);
      this.#found = { step, text };
      this.#debuggee.resume("goToStep", { step });
    });
  }

  /** @param {string} expression */
  async #computed(expression) {
    await this.#try(async () => {
      const { data } = await this.#debuggee.ask("lastChange", { expression, frameIndex: this.#debuggee.frameIndex });
      if (data.cause === "client") return this.#options.say(`${data.description}: you have given it this value.`);
      await this.#unfold({ step: data.step }, `How ${visible(expression)} was computed`);
    });
  }

  /** @param {Commands["unfold"]["params"]} which @param {string} title */
  async #unfold(which, title = "How it was computed") {
    await this.#try(async () => {
      const { data } = await this.#debuggee.ask("unfold", which);
      const { file } = data.location;
      const mark = (/** @type {import("../editor/places.js").Place} */ part) => this.#options.mark({ ...part, file });
      this.#show(`${title}: line ${data.location.line}, step ${number(data.step)}`, computedElement(data, mark));
    });
  }

  /** @param {string} expression */
  async #changes(expression) {
    await this.#try(async () => {
      const { frameIndex } = this.#debuggee;
      const body = make("tbody", "");
      const heads = ["Step", "Line", "Before", "After", "What"].map((text) => { const head = make("th", "", text); head.scope = "col"; return head; });
      const table = make("table", "changes", make("thead", "", make("tr", "", ...heads)), body);
      const more = async (/** @type {number | undefined} */ before) => {
        const { data } = await this.#debuggee.ask("changes", { expression, frameIndex, count: PAGE, ...(before ? { before } : {}) });
        body.append(...data.changes.map((change) => this.#changeRow(change)));
        const { next } = data;
        if (next === undefined) return;
        const button = textButton("Earlier ones …", () => { row.remove(); this.#try(() => more(next)); }, "link");
        const cell = make("td", "", button);
        cell.colSpan = heads.length;
        const row = make("tr", "", cell);
        body.append(row);
      };
      await more(undefined);
      this.#show(`Where ${visible(expression)} was changed, the latest first`, table);
    });
  }

  /** @param {Change} change */
  #changeRow({ step, location, oldValue, newValue, cause }) {
    const go = textButton(number(step), () => this.#debuggee.resume("goToStep", { step }), "link");
    go.title = "Go there";
    const cells = [go, String(location.line), visible(oldValue ?? ""), visible(newValue ?? ""), CAUSES[cause]];
    return make("tr", "", ...cells.map((inside) => make("td", "", inside)));
  }

  #clear() {
    this.#options.mark(undefined);
    this.#place.replaceChildren(
      make("p", "nothing", "While the program is stopped, this explains values: “…” beside a variable asks how it was computed and where it comes from."), this.#buttons());
  }

  #buttons() {
    return make("div", "buttons",
      textButton("How was the last statement computed?", () => this.statement(false)),
      textButton("What will the next statement compute?", () => this.statement(true)));
  }

  /** @param {string} title @param {HTMLElement} inside */
  #show(title, inside) {
    this.#place.replaceChildren(make("h2", "", title), inside, this.#buttons());
    this.#place.scrollTop = 0;
    this.#options.reveal();
  }

  /** What cannot be told is said. @param {() => Promise<void>} asked */
  async #try(asked) {
    try {
      await asked();
    } catch (error) {
      this.#options.say(/** @type {Error} */ (error).message);
    }
  }
}
