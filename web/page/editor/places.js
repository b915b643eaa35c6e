// Places in texts: the engine counts lines and columns from 1, columns in code points.

/** @typedef {import("@codemirror/state").Text} Text */
/** @typedef {{ line: number, column: number, endLine?: number, endColumn?: number }} Place */

/**
 * The position of a line and column; one that does not exist is moved to the nearest that does.
 * @param {Text} doc @param {number} line @param {number} column
 */
export function positionOf(doc, line, column) {
  const { from, text } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return from + Array.from(text).slice(0, column - 1).join("").length;
}

/**
 * The range of a place; if its end is not known, up to the end of the word there.
 * @param {Text} doc @param {Place} place
 */
export function rangeOf(doc, { line, column, endLine, endColumn }) {
  const from = positionOf(doc, line, column);
  if (endLine !== undefined && endColumn !== undefined) return { from, to: Math.max(from, positionOf(doc, endLine, endColumn)) };
  const rest = doc.sliceString(from, doc.lineAt(from).to);
  const length = /^(?:[\p{L}\p{N}_]+|"(?:\\.|[^"\\])*"?|.)/u.exec(rest)?.[0].length ?? 0;
  return { from, to: from + length };
}
