// The calls in progress, innermost first.
import { textButton } from "../base/controls.js";
import { make, number, visible } from "../../shared/elements.js";

/** @typedef {import("../engine/debuggee.js").Debuggee} Debuggee */

/** The name of a file without its folders. @param {string} path */
const nameOf = (path) => path.split("/").at(-1) ?? path;

/** @param {HTMLElement} place @param {Debuggee} debuggee */
export function showCalls(place, debuggee) {
  const list = make("ol", "calls");
  place.append(list);
  const refresh = () => {
    list.replaceChildren(...(debuggee.isStopped ? rows(debuggee, refresh) : []));
  };
  debuggee.on("settled", refresh);
  debuggee.on("frame", refresh);
  debuggee.on("changed", () => { if (!debuggee.isStopped) refresh(); });
}

/** @param {Debuggee} debuggee @param {() => void} refresh */
function rows(debuggee, refresh) {
  const { frames, frameCount, frameIndex } = debuggee;
  const all = frames.map((frame, index) => {
    const button = textButton("", () => debuggee.selectFrame(index));
    button.append(make("span", "function", visible(frame.function)), make("small", "", `${visible(nameOf(frame.file))}:${frame.line}`));
    if (index === frameIndex) button.setAttribute("aria-current", "true");
    return make("li", "", button);
  });
  const left = frameCount - frames.length;
  if (left > 0) {
    const more = textButton(`${number(left)} more …`, () => debuggee.moreFrames().then(refresh, () => {}));
    all.push(make("li", "more", more));
  }
  return all;
}
