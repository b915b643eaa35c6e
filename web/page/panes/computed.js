// How a statement was computed: the stages of its expression, from its source to its value.
import { textButton } from "../base/controls.js";
import { make, visible } from "../../shared/elements.js";

/**
 * @typedef {import("../../../examples/typescript/protocol.ts").UnfoldedData} Unfolded
 * @typedef {Unfolded["parts"][number]} Part
 * @typedef {{ before: string, text: string, start: number, length: number, part?: Part }} Line
 */

/**
 * The lines of an answer; one that shows a part marks it in the program.
 * @param {Unfolded} unfolded @param {(part: Part) => void} mark
 */
export function computedElement(unfolded, mark) {
  const rows = linesOf(unfolded).map(({ before, text, start, length, part }) => {
    const letters = Array.from(text);
    const pieces = [letters.slice(0, start), letters.slice(start, start + length), letters.slice(start + length)].map((piece) => visible(piece.join("")));
    const inside = [make("span", "before", visible(before)), pieces[0], length ? make("mark", "", pieces[1]) : "", pieces[2]];
    if (!part) return make("li", "", ...inside);
    const button = textButton("", () => mark(part));
    button.append(...inside);
    return make("li", "", button);
  });
  return make("ol", "computed", ...rows);
}

/** The stages, what was not computed, what was written, and the error that ended it. @param {Unfolded} unfolded @returns {Line[]} */
function linesOf({ lines, parts, prefix, incomplete }) {
  /** @type {Line[]} */
  const all = lines.map(({ text, start, length, part }, at) => ({ before: at ? "= " : prefix, text, start, length, part: part === undefined ? undefined : parts[part] }));
  const say = (/** @type {string} */ text, /** @type {Part} */ part) => all.push({ before: "", text, start: 0, length: 0, part });
  for (const part of parts) {
    if (part.skipped) say(`${part.text} was not computed: ${part.skipped}`, part);
    else if (part.kind === "write" && part.newValue !== undefined) say(`${part.target}: ${part.oldValue === undefined ? "" : `${part.oldValue} → `}${part.newValue}`, part);
    else if (part.kind === "error") say(part.code ? `${part.message} [${part.code}]` : `${part.message}`, part);
  }
  if (incomplete) all.push({ before: "", text: `Not finished: ${incomplete}`, start: 0, length: 0 });
  return all;
}
