// Elements with foreign text in them. Texts are never read as HTML.

/** @typedef {string | Node} Inside */

/**
 * An element with a class, and texts or elements in it.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {string} name @param {...Inside} inside
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, name, ...inside) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside);
  return element;
}

const NUMBERS = new Intl.NumberFormat("en");

/** A number as it is written in a sentence. @param {number} value */
export const number = (value) => NUMBERS.format(value);

/**
 * Text in which characters that would change the order in which a line is read, or hide something, are seen. Each is
 * replaced by one of the same length, since columns count.
 * @param {string} text
 */
export function visible(text) {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g, "\ufffd");
}

/**
 * The first characters of a text, with a sign that there are more.
 * @param {string} text @param {number} most How many characters the result has at most.
 */
export function shorten(text, most) {
  if (text.length <= most) return text;
  const letters = Array.from(text.slice(0, 2 * most));
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : text;
}
