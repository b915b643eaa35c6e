// The expression under the mouse.

const NAME = /[\p{L}_][\p{L}\p{N}_]*/gu;
const BEFORE_DOT = /([\p{L}_][\p{L}\p{N}_]*|\])$/u;

/**
 * The name at a place of a line, with what it is a part of: of `a.b[i].c`, `a.b` at the `b`.
 * @param {string} text The line. @param {number} at From 0.
 * @returns {{ from: number, to: number } | undefined}
 */
export function expressionAt(text, at) {
  for (const found of text.matchAll(NAME)) {
    const [from, to] = [found.index, found.index + found[0].length];
    if (from <= at && at <= to) return { from: startOf(text, from), to };
  }
}

/** Where the expression begins to which a name belongs. @param {string} text @param {number} start */
function startOf(text, start) {
  while (start > 0 && text[start - 1] === ".") {
    const before = BEFORE_DOT.exec(text.slice(0, start - 1));
    if (!before) break;
    start = before.index;
    if (text[start] === "]") {
      const opening = openingOf(text, start);
      const owner = opening < 0 ? null : BEFORE_DOT.exec(text.slice(0, opening));
      if (!owner || owner[0] === "]") return start + 2;
      start = owner.index;
    }
  }
  return start;
}

/** Where the bracket is that is closed at a place, -1 if there is none. @param {string} text @param {number} closing */
function openingOf(text, closing) {
  let depth = 0;
  for (let at = closing; at >= 0; at--) {
    depth += text[at] === "]" ? 1 : text[at] === "[" ? -1 : 0;
    if (depth === 0) return at;
  }
  return -1;
}
