// Leads to the statement that has printed something else than expected: the program is debugged with the input of a case,
// and taken back to that statement.
import { differenceText } from "../panes/difference.js";

/** @typedef {import("./debuggee.js").Debuggee} Debuggee */
/** @typedef {import("./case-run.js").Texts} Texts */

/**
 * @param {Debuggee} debuggee @param {(texts: Texts) => void} launch Starts the program: it is led by these.
 * @param {() => void} arrived Called at the difference, before the program is taken back.
 * @param {(text: string) => void} say Tells what is there.
 * @returns {(texts: Texts) => void}
 */
export function makeLead(debuggee, launch, arrived, say) {
  /** What is expected next. @type {"difference" | "statement" | undefined} */
  let next;
  let about = "";
  for (const event of /** @type {const} */ (["launched", "ended", "refused"])) debuggee.on(event, () => { next = undefined; });
  debuggee.on("stopped", (stop) => {
    const now = next;
    next = undefined;
    if (now === "difference") arrived();
    if (now === "difference" && stop.difference) return void back(stop, stop.difference);
    if (now === "difference" && stop.reason === "end") say("This time it has printed what is expected.");
    if (now === "statement") say(about);
  });
  return (texts) => {
    launch(texts);
    next = "difference";
  };

  /** Goes back to the statement. @param {import("./debuggee.js").Stop} stop @param {import("./case-run.js").Difference} difference */
  async function back(stop, difference) {
    const text = differenceText(difference);
    const step = difference.actual === undefined ? undefined : difference.step ?? (await stepOf(difference.offset));
    if (debuggee.stop !== stop || !debuggee.isStopped) return;
    if (step === undefined || step > stop.step) return say(text);
    about = `${text} This statement prints it.`;
    debuggee.resume("goToStep", { step });
    next = "statement";
  }

  /** @param {number} offset */
  async function stepOf(offset) {
    const found = await debuggee.ask("outputStep", { offset, stream: "stdout" }).catch(() => undefined);
    return found?.data.step;
  }
}
