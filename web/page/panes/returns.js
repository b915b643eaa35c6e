// Carriage returns in a line of output, as terminals show them.
import { visible } from "../../shared/elements.js";

/** What ends a line. */
const END = /\r*\n?$/;

/** A line without its end. @param {string} text */
const bodyOf = (text) => text.replace(END, "");

/** Whether a line begins again. @param {string} text A line, with its end if it has one. */
export const hasReturn = (text) => text.includes("\r") && bodyOf(text).includes("\r");

/** Where a line begins for the last time: the place of its first character after that. @param {string} text */
export const lastBegin = (text) => bodyOf(text).lastIndexOf("\r") + 1;

/** A line as it is shown: where it begins again, what follows covers what was there. @param {string} text */
export function shownLine(text) {
  if (!text.includes("\r")) return visible(text);
  /** @type {string[]} */
  const letters = [];
  for (const part of bodyOf(text).split("\r").reverse()) {
    if (part.length <= letters.length) continue;
    for (const letter of Array.from(part).slice(letters.length)) letters.push(letter);
  }
  return visible(letters.join("")) + (text.endsWith("\n") ? "\n" : "");
}
