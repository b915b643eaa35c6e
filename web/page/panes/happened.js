// The state of the program in a sentence.
import { make, visible } from "../../shared/elements.js";

/** @typedef {import("../engine/debuggee.js").Debuggee} Debuggee */

/** How a program has ended. @param {import("../engine/debuggee.js").Ending} ending */
export function endingText({ how, exitCode, message }) {
  switch (how) {
    case "exited": return exitCode ? `The program has ended with the exit code ${exitCode}.` : "The program has ended.";
    case "stopped": return "The program was stopped.";
    case "refused": return "The program has errors and was not started.";
    case "failed": return visible(message ?? "The engine has failed.");
  }
}

const sentence = (/** @type {string} */ text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * @param {HTMLElement} place @param {Debuggee} debuggee @param {boolean} canDebug
 * @returns {() => void} Says what is said before a program was started.
 */
export function showHappened(place, debuggee, canDebug) {
  /** @param {string} name @param {...import("../../shared/elements.js").Inside} inside */
  const show = (name, ...inside) => {
    place.className = name;
    place.replaceChildren(...inside);
  };
  debuggee.on("changed", () => {
    const { status, isWaiting } = debuggee;
    if (status === "loading") show("", "The program is loaded …");
    else if (status === "running") show("", isWaiting ? "The program waits for input." : "The program runs …");
  });
  debuggee.on("stopped", (stop) => {
    /** @type {import("../../shared/elements.js").Inside[]} */
    const inside = [make("b", "", sentence(visible(stop.description))), " "];
    const { returnValue } = stop;
    if (returnValue) inside.push(make("span", "returned", `${visible(returnValue.function)} returned ${visible(returnValue.value)}. `));
    if (stop.code) inside.push(make("span", "", `${stop.code}. `));
    if (stop.help) inside.push(make("span", "", `Help: ${visible(stop.help)} `));
    if (stop.text) inside.push(make("span", "", sentence(visible(stop.text)) + " "));
    if (stop.reason === "end") inside.push(make("span", "", "It can still be taken back; Continue lets it end. "));
    show(stop.reason === "exception" ? "bad" : stop.past ? "past" : "", ...inside);
  });
  debuggee.on("event", ({ event, data }) => {
    if (event === "progress" && !data.done && debuggee.status === "running") show("past", `${visible(data.title)}: ${data.percentage} %. Pause ends it.`);
  });
  debuggee.on("refused", (message) => show("bad", sentence(visible(message))));
  debuggee.on("ended", (ending) => show(ending.how === "refused" || ending.how === "failed" || ending.exitCode ? "bad" : "", endingText(ending)));
  const first = () => show("", canDebug ? "Run carries the program out; Debug stops in it and shows its variables." : "Run carries the program out.");
  first();
  return first;
}
