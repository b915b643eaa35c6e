// Leads to the tour: once, who opens the page for the first time.
import { FOLDER, storage } from "./store.js";
import { prefixOf } from "./history.js";

/** That this browser has shown the page before. */
const KNOWN = `${prefixOf(FOLDER)}visited`;

/** @param {import("../base/notice.js").Notice} notice @param {boolean} isNew Whether nothing was written here before. */
export function offerTour(notice, isNew) {
  try {
    const kept = storage("localStorage");
    const isFirst = isNew && kept?.getItem(KNOWN) === null;
    kept?.setItem(KNOWN, "yes");
    if (isFirst) notice.say("tour", "You are here for the first time: a tour shows EZ from the beginning.", { text: "Start the tour", action: () => { location.href = "tour.html"; } });
  } catch {
    // Without a place to keep things, it would be told at each visit.
  }
}
