// Something that the user should know, until the next thing or until it is closed.
import { iconButton, textButton } from "./controls.js";
import { make, visible } from "../../shared/elements.js";

export class Notice {
  #place;
  #hasChoice = false;

  /** @param {HTMLElement} place */
  constructor(place) {
    this.#place = place;
  }

  /**
   * Says something.
   * @param {string} text @param {import("./controls.js").Choice} [choice] What can be done about it.
   */
  say(text, choice) {
    const inside = [make("span", "", visible(text))];
    if (choice) inside.push(textButton(choice.text, () => { this.clear(); choice.action(); }));
    this.#place.replaceChildren(...inside, iconButton("close", "Close the message", () => this.clear()));
    this.#place.hidden = false;
    this.#hasChoice = choice !== undefined;
  }

  /** Takes away what is of no use any more when the program is started. */
  pass() {
    if (!this.#hasChoice) this.clear();
  }

  clear() {
    this.#place.hidden = true;
    this.#place.replaceChildren();
  }
}
