// Which of the calls of a statement is stepped into.
import { iconButton, openMenu } from "../base/controls.js";
import { visible } from "../../shared/elements.js";

/** How long after a stop the calls are asked for, in milliseconds: steps follow each other faster. */
const ASKED_AFTER = 200;

/**
 * A button beside another one, which is there while the next statement has several calls.
 * @param {HTMLElement} beside @param {import("../engine/debuggee.js").Debuggee} debuggee
 * @returns {() => void} Opens its menu.
 */
export function showStepTargets(beside, debuggee) {
  /** @type {import("../../../examples/typescript/protocol.ts").StepTarget[]} */
  let targets = [];
  const open = () => {
    if (!debuggee.isStopped || targets.length < 2) return;
    openMenu(button, targets.map(({ id, label }) => ({ text: visible(label), action: () => debuggee.resume("stepInto", { targetId: id }) })));
  };
  const button = iconButton("choose", "Step into one of several calls", open, "Ctrl+F11");
  button.setAttribute("aria-haspopup", "menu");
  const show = (/** @type {typeof targets} */ found) => {
    targets = found;
    button.hidden = found.length < 2;
  };
  show([]);
  beside.after(button);
  /** @type {number | undefined} */
  let timer;
  debuggee.on("settled", (stop) => {
    clearTimeout(timer);
    if (targets.length) show([]);
    timer = setTimeout(async () => {
      const isHere = () => debuggee.isStopped && debuggee.stop === stop;
      if (!isHere()) return;
      try {
        const { data } = await debuggee.ask("getStepTargets", {});
        if (isHere()) show(data.targets);
      } catch {
        // There are none here.
      }
    }, ASKED_AFTER);
  });
  debuggee.on("changed", () => { if (!debuggee.isStopped && targets.length) show([]); });
  return open;
}
