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
  /** Where the slider was moved while a step or a way through time was in progress. @type {number | undefined} */
  let wanted;
  const go = () => {
    if (wanted === undefined || !debuggee.isStopped) return;
    const step = wanted;
    wanted = undefined;
    if (step === positionOf(debuggee)) return;
    // The step with this number may be one before the end.
    if (step === lastOf(debuggee)) debuggee.resume("goToPresent");
    else debuggee.resume("goToStep", { step });
  };
  slider.addEventListener("input", () => {
    if (!debuggee.isStopped && !debuggee.isUnderWay) return refresh();
    wanted = slider.valueAsNumber;
    count.textContent = counted(wanted, debuggee);
    go();
  });
  const refresh = () => {
    const { stop, isStopped } = debuggee;
    slider.disabled = debuggee.status === "idle" || !stop?.present;
    if (!stop || wanted !== undefined) return;
    slider.max = String(lastOf(debuggee));
    slider.value = String(positionOf(debuggee));
    if (!isStopped) return;
    count.textContent = counted(positionOf(debuggee), debuggee);
    slider.setAttribute("aria-valuetext", count.textContent);
  };
  debuggee.on("stopped", () => { refresh(); go(); });
  debuggee.on("changed", () => {
    if (debuggee.status === "idle" || debuggee.status === "loading") [wanted, count.textContent] = [undefined, ""];
    refresh();
  });
  refresh();
}

/** How many steps there are up to the present. @param {Debuggee} debuggee */
const stepsOf = ({ stop }) => stop?.present ?? stop?.step ?? 1;

/** The last position: an end is one of its own, after the last step. @param {Debuggee} debuggee */
const lastOf = (debuggee) => stepsOf(debuggee) + (debuggee.presentEnd ? 1 : 0);

/** @param {Debuggee} debuggee */
const positionOf = (debuggee) => (debuggee.stop?.past ? debuggee.stop.step ?? 1 : lastOf(debuggee));

/** @param {number} position @param {Debuggee} debuggee */
function counted(position, debuggee) {
  const steps = stepsOf(debuggee);
  const end = position > steps ? `, at the ${debuggee.presentEnd}` : "";
  return `Step ${number(Math.min(position, steps))} of ${number(steps)}${end}`;
}
