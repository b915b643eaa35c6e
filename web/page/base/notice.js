// Something that the user should know, as long as there is a reason for it, or until it is closed.
import { iconButton, textButton } from "./controls.js";
import { make, visible } from "../../shared/elements.js";

/**
 * What it is about, which tells when it is over: `version` of the page; `keeping` the program in the browser; `link` that
 * cannot be opened; `opening` files; `replaced` by another program, or another change of files that can be taken back; `breakpoints` that are never hit;
 * `changed` since it was started; `answer` to a question about this stop; `failed` the engine has; the `tour` that begins; the page around this one, which cannot be `told`.
 * @typedef {"version" | "keeping" | "link" | "opening" | "replaced" | "breakpoints" | "changed" | "answer" | "failed" | "tour" | "told"} About
 */

export class Notice {
  #place;
  /** The latest last, which is shown. @type {{ about: About, text: string, choice?: import("./controls.js").Choice }[]} */
  #all = [];

  /** @param {HTMLElement} place */
  constructor(place) {
    this.#place = place;
  }

  /**
   * Says something, in place of what was said about the same.
   * @param {About} about @param {string} text @param {import("./controls.js").Choice} [choice] What can be done about it.
   */
  say(about, text, choice) {
    this.#all = [...this.#all.filter((one) => one.about !== about), { about, text, choice }];
    this.#show();
  }

  /** What was said about this is not so any more. @param {...About} abouts */
  over(...abouts) {
    const left = this.#all.filter(({ about }) => !abouts.includes(about));
    if (left.length === this.#all.length) return;
    this.#all = left;
    this.#show();
  }

  #show() {
    const last = this.#all.at(-1);
    this.#place.hidden = last === undefined;
    if (!last) return this.#place.replaceChildren();
    const { about, text, choice } = last;
    const inside = [make("span", "", visible(text))];
    if (choice) inside.push(textButton(choice.text, () => { this.over(about); choice.action(); }));
    this.#place.replaceChildren(...inside, iconButton("close", "Close the message", () => this.over(about)));
  }
}
