// A case in the list: what is read, what has to be printed, and what has come of it.
import { iconButton, openMenu, textButton } from "../base/controls.js";
import { make, number, shorten, visible } from "../../shared/elements.js";
import { differenceElements } from "./difference.js";

/** @typedef {import("../files/cases.js").Case} Case */
/** @typedef {import("../engine/case-run.js").Result} Result */

/** How many characters of a text are shown. */
const MOST_SHOWN = 2000;
/** Cases with so many lines are shown as they are, longer ones when they are asked for. */
const FEW_LINES = 6;

const linesOf = (/** @type {string} */ text) => (text ? text.trimEnd().split("\n").length : 0);
const count = (/** @type {string} */ text) => `${number(linesOf(text))} ${linesOf(text) === 1 ? "line" : "lines"}`;

/** @param {string} title @param {string} text */
const shown = (title, text) => make("div", "compared", make("span", "", title), text ? make("pre", "", visible(shorten(text.trimEnd(), MOST_SHOWN)) || " ") : make("span", "", "nothing"));

export class CaseRow {
  element = make("li", "case");
  #sign = make("span", "sign");
  #state = make("small", "");
  #told = make("div", "told");
  #cause = make("ol", "cause");
  #details;
  #case;
  #lead;
  #go;
  /** What is shown. @type {Result | undefined} */
  #known;

  /**
   * @param {Case} one @param {() => import("../base/controls.js").Choice[]} choices What can be done with it.
   * @param {(() => void) | undefined} lead Leads to what has printed something else.
   * @param {(place: { file: string, line: number, column: number }) => void} go Goes to a statement.
   */
  constructor(one, choices, lead, go) {
    this.#case = one;
    this.#lead = lead;
    this.#go = go;
    const name = visible(one.name);
    this.#sign.setAttribute("aria-hidden", "true");
    const more = iconButton("more", `More about case ${name}`, () => openMenu(more, choices()));
    const details = (this.#details = make("details", "", make("summary", "", `Reads ${count(one.input)}, prints ${count(one.output)}`), shown("reads:", one.input), shown("prints:", one.output)));
    details.open = this.#isShort;
    this.element.append(make("div", "head", this.#sign, make("b", "name", name), this.#state, ...(choices().length ? [more] : [])), this.#told, this.#cause, details);
    this.show(undefined, false, false);
  }

  get #isShort() {
    return linesOf(this.#case.input) + linesOf(this.#case.output) <= FEW_LINES;
  }

  /** @param {Result | undefined} known @param {boolean} isOld Whether that is of an earlier text of the program. @param {boolean} isRunning */
  show(known, isOld, isRunning) {
    const old = isOld ? ", before the program was changed" : "";
    this.element.className = `case ${known ? (known.isRight ? "passed" : "failed") : ""} ${isOld ? "old" : ""}`;
    this.#sign.textContent = isRunning ? "…" : !known ? "○" : known.isRight ? "✓" : "✗";
    this.#state.textContent = isRunning ? "runs" : !known ? "not run yet" : `${known.isRight ? "passed" : "not passed"}${old}`;
    if (known !== this.#known) this.#tell(known);
    // They lead to statements as these were.
    for (const button of this.element.querySelectorAll(":is(.cause, .told) button.link")) /** @type {HTMLButtonElement} */ (button).disabled = isOld;
  }

  /** @param {Result | undefined} known */
  #tell(known) {
    this.#known = known;
    // Of what is right there is nothing to look at.
    this.#details.open = !known?.isRight && this.#isShort;
    this.#cause.replaceChildren(...(known?.cause ?? []).map((line) => this.#causeElement(line)), ...(known?.unknown ? [make("li", "unknown", visible(known.unknown))] : []));
    if (!known || known.isRight) return this.#told.replaceChildren();
    if (!known.difference) {
      const { why = "", place } = known;
      return this.#told.replaceChildren(make("p", "", place ? textButton(visible(why), () => this.#go(place), "link") : visible(why)));
    }
    const button = this.#lead && textButton("Show where it was printed", this.#lead);
    button?.setAttribute("aria-label", `Show where it was printed, in case ${visible(this.#case.name)}`);
    this.#told.replaceChildren(...differenceElements(known.difference), ...(button ? [button] : []));
  }

  /** @param {import("../engine/explain.js").CauseLine} line */
  #causeElement({ indent, text, file, line, column }) {
    const element = make("li", "", textButton(visible(text), () => this.#go({ file, line, column }), "link"));
    element.style.marginLeft = `${indent}em`;
    return element;
  }
}
