// Variables and objects as boxes. Values are cells: a number; a text after a letter for its kind (`n`umber, `s`tring,
// `w`ord); or a list with the number of an object.
import { make, number, visible } from "./elements.js";

/**
 * @typedef {number | string | [number]} Cell
 * @typedef {[name: string, cell: Cell, type: string]} Row A variable.
 * @typedef {"" | "new" | "changed"} Kind
 */

/**
 * An array, map or struct.
 * @typedef {object} Thing
 * @property {number} id
 * @property {string} kind `array`, `map`, `struct` or `object`.
 * @property {string} [name] Of a struct's type.
 * @property {string} type
 * @property {number} total How many parts it has.
 * @property {number} [start] The index of the first part that is shown.
 * @property {number} [last] The index of the part that was changed last, if not all are shown.
 * @property {Cell[]} parts Those that are shown.
 * @property {string[]} [keys] The names of the parts, unless it is an array.
 */

/** @typedef {Map<number, Thing>} Heap The objects by number. */

/** @param {Cell} cell @returns {cell is [number]} */
export const isObject = (cell) => Array.isArray(cell);

/** @param {Cell} a @param {Cell} b */
export const sameCell = (a, b) => (isObject(a) && isObject(b) ? a[0] === b[0] : a === b);

/** What an object is called: "array #3". @param {Thing} object */
export const titleOf = (object) => `${visible(object.name || object.kind)} #${object.id}`;

/** A value in words. @param {Cell} cell @param {Heap} heap */
export function cellText(cell, heap) {
  if (typeof cell === "number") return String(cell);
  if (!isObject(cell)) return visible(cell.slice(1));
  const object = heap.get(cell[0]);
  return object ? titleOf(object) : `object #${cell[0]}`;
}

/** A value in its place; an object is a link to its box. @param {Cell} cell @param {Heap} heap */
export function cellElement(cell, heap) {
  if (typeof cell === "number") return make("span", "n", String(cell));
  if (!isObject(cell)) return make("span", cell[0], visible(cell.slice(1)));
  const object = heap.get(cell[0]);
  if (!object) return make("span", "none", `object #${cell[0]}, not shown`);
  const link = make("a", "ref", titleOf(object));
  link.href = `#object-${object.id}`;
  link.dataset.to = String(object.id);
  return link;
}

/** Whether something is new or has another value than before. @param {Cell | undefined} before @param {Cell} cell @returns {Kind} */
export function change(before, cell) {
  if (before === undefined) return "new";
  return sameCell(before, cell) ? "" : "changed";
}

/** The parts of an object with their names. @param {Thing} object @returns {Row[]} */
export function partsOf(object) {
  const { keys, start = 0 } = object;
  return object.parts.map((part, at) => [keys ? keys[at] : `[${at + start}]`, part, ""]);
}

/**
 * How the parts of an object have changed.
 * @param {Thing | undefined} before @param {Thing} object
 * @returns {(at: number, name: string, cell: Cell) => Kind} A function of the place and name of a part.
 */
export function changeOfParts(before, object) {
  if (!before || before === object) return () => "";
  const old = new Map(partsOf(before).map(([name, cell]) => [name, cell]));
  // Of parts that were not shown before, it is only known which was changed last.
  const isMoved = (object.start ?? 0) !== (before.start ?? 0) || object.last !== undefined;
  return (at, name, cell) => {
    if (old.has(name) || !isMoved) return change(old.get(name), cell);
    const place = at + (object.start ?? 0);
    if (place !== object.last) return "";
    return place < before.total ? "changed" : "new";
  };
}

/**
 * Variables as a table.
 * @param {Row[]} rows @param {Heap} heap @param {(at: number, name: string, cell: Cell) => Kind} kindOf
 */
export function table(rows, heap, kindOf) {
  const body = make("tbody", "");
  rows.forEach(([name, cell, type], at) => {
    const kind = kindOf(at, name, cell);
    const head = make("th", "", visible(name));
    head.scope = "row";
    if (type) head.title = visible(type);
    const value = make("td", "", cellElement(cell, heap));
    if (kind) value.append(make("span", "spoken", ` (${kind})`));
    body.append(make("tr", kind, head, value));
  });
  return make("table", "", body);
}

/**
 * The box of a call, or of the global variables.
 * @param {object} frame
 * @param {string} frame.title
 * @param {string} frame.where What is said after the title.
 * @param {Row[]} frame.rows
 * @param {boolean} frame.isCurrent
 * @param {(at: number, name: string, cell: Cell) => Kind} frame.kindOf
 * @param {Heap} heap
 */
export function frameBox({ title, where, rows, isCurrent, kindOf }, heap) {
  const heading = make("h3", "", visible(title), make("small", "", ` ${visible(where)}`));
  const box = make("div", isCurrent ? "frame current" : "frame", heading);
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", heading.textContent ?? "");
  box.append(rows.length ? table(rows, heap, kindOf) : make("p", "none", "no variables yet"));
  return box;
}

/** How many parts it has, in words. @param {Thing} object */
function countOf({ kind, total }) {
  if (kind === "struct") return "";
  const [one, many] = kind === "map" ? ["entry", "entries"] : ["element", "elements"];
  return `, ${total} ${total === 1 ? one : many}`;
}

/**
 * The box of an object.
 * @param {Thing} object @param {Heap} heap @param {Thing | undefined} before The same object at the step before.
 * @param {boolean} isFirst Whether there was no step before.
 */
export function objectBox(object, heap, before, isFirst) {
  const count = countOf(object);
  const type = object.type && object.type !== object.name ? visible(object.type) : "";
  const box = make("div", "object", make("h3", "", titleOf(object), make("small", "", ` ${type}${count}`)));
  box.id = `object-${object.id}`;
  box.tabIndex = -1;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", titleOf(object) + count);
  if (!before && !isFirst) box.classList.add("new");
  else if (before && before !== object) box.classList.add("changed");
  const kindOf = changeOfParts(before, object);
  const start = object.start ?? 0;
  const left = (/** @type {number} */ count) => `${number(count)} more, not shown`;
  if (start > 0) box.append(make("p", "more", `${left(start)} …`));
  if (!object.parts.length) box.append(make("p", "none", "empty"));
  else if (object.keys) box.append(table(partsOf(object), heap, kindOf));
  else box.append(cells(object, heap, kindOf));
  const more = object.total - object.parts.length - start;
  if (more > 0) box.append(make("p", "more", `… and ${left(more)}`));
  return box;
}

/** The elements of an array. @param {Thing} object @param {Heap} heap @param {(at: number, name: string, cell: Cell) => Kind} kindOf */
function cells(object, heap, kindOf) {
  const list = make("ul", "cells");
  partsOf(object).forEach(([name, cell], at) => {
    const kind = kindOf(at, name, cell);
    const value = cellElement(cell, heap);
    const held = isObject(cell) ? heap.get(cell[0]) : undefined;
    if (held) {
      value.textContent = `#${held.id}`;
      value.setAttribute("aria-label", titleOf(held));
    }
    const item = make("li", kind, make("span", "index", String(at + (object.start ?? 0))), make("span", "value", value));
    if (kind) item.append(make("span", "spoken", ` (${kind})`));
    list.append(item);
  });
  return list;
}

/**
 * The objects in columns: each is to the right of what leads to it, as far as there are no rings.
 * @param {Cell[]} roots The values of all variables. @param {Heap} heap @returns {Thing[][]}
 */
export function levels(roots, heap) {
  /** @type {Map<number, number>} */
  const level = new Map();
  /** @type {Set<number>} */
  const path = new Set();
  const visit = (/** @type {Cell} */ cell, /** @type {number} */ depth) => {
    if (!isObject(cell) || path.has(cell[0]) || (level.get(cell[0]) ?? -1) >= depth) return;
    const object = heap.get(cell[0]);
    if (!object) return;
    level.set(object.id, depth);
    path.add(object.id);
    for (const part of object.parts) visit(part, depth + 1);
    path.delete(object.id);
  };
  for (const cell of roots) visit(cell, 0);
  /** @type {Thing[][]} */
  const columns = [];
  for (const [id, depth] of level) (columns[depth] ??= []).push(/** @type {Thing} */ (heap.get(id)));
  return columns.filter(Boolean);
}
