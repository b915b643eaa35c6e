// Keeps what is asked at each stop, and at which functions the program stops, from visit to visit. It is not of a program:
// it stays when another one is opened.
import { prefixOf } from "./history.js";
import { FOLDER } from "./store.js";

/**
 * @typedef {import("../panes/watches.js").Watches} Watches
 * @typedef {import("../engine/other-breakpoints.js").OtherBreakpoints} OtherBreakpoints
 * @typedef {import("../engine/other-breakpoints.js").OfFunction} OfFunction
 */

const isText = (/** @type {unknown} */ value) => typeof value === "string";

/** @param {any} value @returns {value is OfFunction} */
const isOfFunction = (value) => isText(value?.name) && [value.condition, value.hitCondition].every((one) => one === undefined || isText(one));

/** What is in a storage, as far as it is usable. @param {Storage | undefined} storage @param {string} key */
function keptIn(storage, key) {
  try {
    const { watches, functions } = JSON.parse(storage?.getItem(key) ?? "null");
    return { watches: /** @type {string[]} */ (watches.filter(isText)), functions: /** @type {OfFunction[]} */ (functions.filter(isOfFunction)) };
  } catch {
    return undefined;
  }
}

/**
 * Brings back what was kept, and keeps what is changed from now on.
 * @param {(Storage | undefined)[]} storages Where it is kept: the first one that has something is that of this page.
 * @param {string} exercise In a frame, the sum of its link: each has its own. @param {Watches} watches @param {OtherBreakpoints} others
 */
export function keepAsked(storages, exercise, watches, others) {
  const key = `${prefixOf(FOLDER)}asked${exercise && `:${exercise}`}`;
  const kept = storages.map((storage) => keptIn(storage, key)).find(Boolean);
  watches.restore(kept?.watches ?? []);
  others.restore(kept?.functions ?? []);
  const now = () => JSON.stringify({ watches: watches.expressions, functions: others.requested });
  let known = now();
  const keep = () => {
    const text = now();
    if (text === known) return;
    known = text;
    for (const storage of storages) {
      try {
        storage?.setItem(key, text);
      } catch {
        // Then it lasts as long as the page.
      }
    }
  };
  watches.on("changed", keep);
  others.on("changed", keep);
}
