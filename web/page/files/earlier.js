// The list of what was written here and is not shown.
import { iconButton, showText, textButton } from "../base/controls.js";
import { make, number, visible } from "../../shared/elements.js";

/** @typedef {import("./history.js").Entry} Entry */

const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
/** How many lines are shown over an entry. */
const MOST_LINES = 12;

/**
 * @param {import("./keeper.js").Keeper} keeper
 * @param {(text: string, undo: () => void) => void} done Told what was brought back. @param {() => void} removed Called when something was removed.
 */
export function showEarlier(keeper, done, removed) {
  const list = make("ul", "list");
  const close = showText("Earlier texts",
    make("p", "", "What was written here and is not in the program now. It is kept in this browser only, up to 5 MB: the oldest go first."), list);
  const restore = (/** @type {Entry} */ entry) => {
    close();
    done(`${entry.isPart ? `${namesOf(entry)} is` : "The program is"} as it was on ${TIME.format(entry.time)}.`, keeper.restore(entry));
  };
  const refresh = () => {
    const all = keeper.earlier();
    const forget = (/** @type {Entry[]} */ entries) => {
      for (const entry of entries) keeper.forget(entry);
      refresh();
      removed();
    };
    const rows = all.map((entry) => row(entry, () => restore(entry), () => forget([entry])));
    list.replaceChildren(...(rows.length ? rows : [make("li", "nothing", "Nothing yet.")]));
    if (rows.length > 1) list.append(make("li", "", removeAll(() => forget(all))));
  };
  refresh();
}

/** @param {Entry} entry @param {() => void} restore @param {() => void} forget */
function row(entry, restore, forget) {
  const { time, content } = entry;
  const lines = content.files.flatMap(({ text }) => text.trimEnd().split("\n"));
  const names = namesOf(entry);
  const open = textButton(names, restore, "what");
  open.title = visible(lines.slice(0, MOST_LINES).join("\n"));
  open.append(make("small", "", `${TIME.format(time)}, ${number(lines.length)} ${lines.length === 1 ? "line" : "lines"}`));
  return make("li", "", open, iconButton("close", `Remove ${names} of ${TIME.format(time)}`, forget));
}

/** @param {Entry} entry */
const namesOf = ({ content }) => visible(content.files.map(({ name }) => name).join(", "));

/** Asks once more. @param {() => void} remove */
function removeAll(remove) {
  const button = textButton("Remove all", () => {
    if (button.textContent === "Remove all") button.textContent = "Remove all for good";
    else remove();
  });
  return button;
}
