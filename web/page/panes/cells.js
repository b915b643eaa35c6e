// Values of the protocol as cells of boxes.

/**
 * @typedef {import("../../../examples/typescript/protocol.ts").Variable} Variable
 * @typedef {import("../../shared/boxes.js").Cell} Cell
 * @typedef {import("../../shared/boxes.js").Thing} Thing
 */

const NUMBER = /^(?:u?int|float|byte|[iuf]\d+)$/;

/** A value as it is shown in place. @param {Variable} variable @returns {Cell} */
export function cellOf({ value, type, objectId }) {
  if (objectId !== undefined) return [objectId];
  if (value === "nil") return "wnil";
  if (NUMBER.test(type)) return Number.isSafeInteger(Number(value)) && String(Number(value)) === value ? Number(value) : `n${value}`;
  return (type === "string" || type === "char" ? "s" : "w") + value;
}

/**
 * An object with its first parts.
 * @param {Variable} variable Something that refers to it. @param {Variable[]} parts @param {number} total
 * @returns {Thing}
 */
export function thingOf({ objectId, type, declaredType }, parts, total) {
  const kind = type === "array" || type === "map" ? type : "struct";
  return {
    id: objectId ?? 0,
    kind,
    name: kind === "struct" ? type : "",
    type: declaredType ?? type,
    total,
    parts: parts.map(cellOf),
    ...(kind === "array" ? {} : { keys: parts.map(({ name }) => name.replace(/^\[([^]*)\]$/, "$1")) }),
  };
}
