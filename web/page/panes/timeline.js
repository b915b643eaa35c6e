// A slider of time: each step of the run, up to the present.
import { make, number } from "../../shared/elements.js";

/** @typedef {import("../engine/debuggee.js").Debuggee} Debuggee */

/** @param {HTMLElement} place @param {Debuggee} debuggee */
export function showTimeline(place, debuggee) {
  const slider = make("input", "");
  Object.assign(slider, { type: "range", min: "1", max: "1", value: "1", step: "1" });
  slider.setAttribute("aria-label", "Time");
  const count = make("span", "count");
  place.append(slider, count);
  /** Where the slider was moved while a step was in progress. @type {number | undefined} */
  let wanted;
  const go = () => {
    if (wanted === undefined || !debuggee.isStopped) return;
    const step = wanted;
    wanted = undefined;
    if (step !== debuggee.stop?.step) debuggee.resume("goToStep", { step });
  };
  slider.addEventListener("input", () => {
    wanted = slider.valueAsNumber;
    count.textContent = counted(wanted, Number(slider.max));
    go();
  });
  const refresh = () => {
    const { stop, isStopped } = debuggee;
    slider.disabled = debuggee.status === "idle" || !stop?.present;
    if (!isStopped || !stop || wanted !== undefined) return;
    slider.max = String(stop.present ?? stop.step);
    slider.value = String(stop.step);
    count.textContent = counted(stop.step, stop.present ?? stop.step);
    slider.setAttribute("aria-valuetext", count.textContent);
  };
  debuggee.on("stopped", () => { refresh(); go(); });
  debuggee.on("changed", () => {
    if (debuggee.status === "idle" || debuggee.status === "loading") [wanted, count.textContent] = [undefined, ""];
    refresh();
  });
  refresh();
}

/** @param {number} step @param {number} present */
function counted(step, present) {
  return `Step ${number(step)} of ${number(present)}`;
}
