// The list of keys.
import { showText, textButton } from "../base/controls.js";
import { make } from "../../shared/elements.js";

/** @typedef {{ key: string, name: string }} Key A key as it is written, and what it does. */

/** Keys that belong to a field. @type {Key[]} */
const OF_FIELDS = [
  { key: "Escape, Tab", name: "Leave the editor, where Tab indents" },
  { key: "Ctrl+M", name: "Let Tab leave the editor from now on, or not any more (on macOS: Shift+Alt+M)" },
  { key: "Ctrl+F", name: "Find in the editor" },
  { key: "Ctrl+D", name: "End the input, at the input" },
];

/** The button that shows all keys. @param {Key[]} all Those of the whole page. */
export function keysButton(all) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const { key, name } of [...all, ...OF_FIELDS]) names.set(key, names.has(key) ? `${names.get(key)}; ${name}` : name);
  const row = (/** @type {string} */ key, /** @type {string} */ name) => {
    const head = make("th", "", make("kbd", "", key));
    head.scope = "row";
    return make("tr", "", head, make("td", "", name));
  };
  return textButton("Keys", () => showText("Keys", make("table", "keys", make("tbody", "", ...[...names].map(([key, name]) => row(key, name))))));
}
