// The first place where a program has printed something else than expected, as the engine tells it.
import { make, number, visible } from "../../shared/elements.js";

/** @typedef {import("../engine/case-run.js").Difference} Difference */
/** @typedef {import("../../shared/elements.js").Inside} Inside */

/** What cannot be seen, where it is what differs. @type {Record<string, { sign: string, name: string }>} */
const UNSEEN = {
  " ": { sign: "·", name: "a space" }, "\t": { sign: "→", name: "a tab" }, "\n": { sign: "⏎", name: "the end of the line" },
  "\r": { sign: "␍", name: "a carriage return" }, "\u00a0": { sign: "⍽", name: "a no-break space" },
};

/** @param {string | undefined} letter */
const nameOf = (letter) => (letter === undefined ? "nothing more" : UNSEEN[letter]?.name ?? `“${visible(letter)}”`);

/** What differs, in a sentence. @param {Difference} difference */
export const differenceText = ({ line, column, expected, actual }) =>
  `In line ${number(line)} of the output, column ${number(column)}, ${nameOf(expected)} is expected, and ${nameOf(actual)} was printed.`;

/** The sentence, and both lines with the place marked. @param {Difference} difference @returns {HTMLElement[]} */
export function differenceElements(difference) {
  const { expected, expectedLine, expectedMore, actual, actualLine, actualMore, unfinished } = difference;
  const soFar = unfinished && actual !== undefined ? " (so far)" : "";
  return [
    make("p", "", differenceText(difference)),
    make("div", "compared", make("span", "", "expected:"), lineElement(difference, expected, expectedLine, expectedMore)),
    make("div", "compared", make("span", "", `printed${soFar}:`), lineElement(difference, actual, actualLine, actualMore)),
  ];
}

/** @param {Difference} difference @param {string | undefined} letter @param {string} line @param {number} [more] */
function lineElement({ column, leftOut = 0 }, letter, line, more) {
  if (letter === undefined && !line) return make("span", "", "nothing more");
  const letters = Array.from(line);
  const at = column - 1 - leftOut;
  const mark = letter === undefined ? [] : [make("mark", "", UNSEEN[letter]?.sign ?? visible(letter))];
  return make("pre", "", leftOut ? "…" : "", visible(letters.slice(0, at).join("")), ...mark, visible(letters.slice(at + 1).join("")), more ? "…" : "");
}
