// On a small screen the program, its state and its output are shown one at a time.
import { textButton } from "../base/controls.js";

const TITLES = { program: "Program", state: "State", below: "Output" };

/** @typedef {keyof typeof TITLES} Region */

/** @param {HTMLElement} place */
export function makeRegions(place) {
  const buttons = Object.entries(TITLES).map(([id, title]) => ({ id, button: textButton(title, () => show(/** @type {Region} */ (id))) }));
  place.append(...buttons.map(({ button }) => button));

  /** @param {Region} region */
  function show(region) {
    document.body.dataset.region = region;
    for (const { id, button } of buttons) button.setAttribute("aria-pressed", String(id === region));
  }

  show("program");
  return { show };
}
