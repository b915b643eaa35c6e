// The list of what was written here and is not shown.
import { iconButton, showText, textButton } from "../base/controls.js";
import { make, number, visible } from "../../shared/elements.js";

/** @typedef {import("./history.js").Entry} Entry */

const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
/** How many lines are shown over an entry. */
const MOST_LINES = 12;

/**
 * @param {import("./keeper.js").Keeper} keeper
 * @param {(text: string, restored: ReturnType<import("./keeper.js").Keeper["restore"]>) => void} done Told what was brought back, or why it cannot be.
 * @param {() => void} removed Called when something was removed.
 */
export function showEarlier(keeper, done, removed) {
  /** What is removed, as soon as nobody can think better of it. @type {Set<Entry>} */
  const gone = new Set();
  const restore = (/** @type {Entry} */ entry) => {
    dialog.close();
    done(`${entry.isPart ? `${namesOf(entry)} is` : "The program is"} as it was on ${TIME.format(entry.time)}.`, keeper.restore(entry));
  };
  const all = keeper.earlierHere();
  const list = make("ul", "list");
  const show = () => list.replaceChildren(...all.map((entry) => row(entry, gone, restore, () => everything.hidden = all.length < 2 || gone.size === all.length)));
  const everything = textButton("Remove all", () => {
    for (const entry of all) gone.add(entry);
    everything.hidden = true;
    show();
  });
  everything.hidden = all.length < 2;
  show();
  if (!all.length) list.append(make("li", "nothing", "Nothing yet."));
  const about = "What was written here and is not in the program now. It is kept in this browser only, up to 5 MB: the oldest go first.";
  const dialog = showText("Earlier texts", make("p", "", about), list, everything);
  dialog.addEventListener("close", () => {
    for (const entry of gone) keeper.forget(entry);
    if (gone.size) removed();
  });
}

/**
 * @param {Entry} entry @param {Set<Entry>} gone Those that are removed. @param {(entry: Entry) => void} restore
 * @param {() => void} changed Called when it is removed, or not any more.
 * @returns {HTMLLIElement}
 */
function row(entry, gone, restore, changed) {
  const { time, content } = entry;
  const names = namesOf(entry);
  const when = TIME.format(time);
  const turn = (/** @type {boolean} */ isGone) => {
    if (isGone) gone.add(entry);
    else gone.delete(entry);
    changed();
    const next = row(entry, gone, restore, changed);
    element.replaceWith(next);
    /** @type {HTMLElement | null} */ (next.querySelector("button:last-child"))?.focus();
  };
  /** @type {HTMLLIElement} */
  let element;
  if (gone.has(entry)) {
    const undo = textButton("Undo", () => turn(false));
    undo.setAttribute("aria-label", `Undo the removal of ${names} of ${when}`);
    return (element = make("li", "", make("span", "what", names, make("small", "", "Removed, once this list is closed.")), undo));
  }
  const lines = content.files.flatMap(({ text }) => text.trimEnd().split("\n"));
  const count = content.files.reduce((sum, { cases = [] }) => sum + cases.length, 0);
  const cases = count ? `, ${number(count)} ${count === 1 ? "case" : "cases"}` : "";
  const open = textButton(names, () => restore(entry), "what");
  open.title = visible(lines.slice(0, MOST_LINES).join("\n"));
  open.append(make("small", "", `${when}, ${number(lines.length)} ${lines.length === 1 ? "line" : "lines"}${cases}`));
  return (element = make("li", "", open, iconButton("close", `Remove ${names} of ${when}`, () => turn(true))));
}

/** @param {Entry} entry */
const namesOf = ({ content }) => visible(content.files.map(({ name }) => name).join(", "));
