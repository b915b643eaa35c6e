// Evaluates what is entered, in the call that is looked at.
import { CompletionList } from "./completion.js";
import { make, visible } from "../../shared/elements.js";

/** How many entries are kept. */
const MOST = 200;

/**
 * @param {HTMLElement} place @param {import("../engine/debuggee.js").Debuggee} debuggee
 * @param {() => void} evaluated Called when something may have changed.
 * @returns {{ printed: (text: string) => void }} Shows what an evaluation has written.
 */
export function showConsole(place, debuggee, evaluated) {
  const log = make("div", "console-log");
  log.setAttribute("role", "log");
  log.setAttribute("aria-label", "Results");
  log.tabIndex = 0;
  const input = make("input", "");
  Object.assign(input, { type: "text", placeholder: "Expression, or an assignment", autocomplete: "off", spellcheck: false });
  input.setAttribute("aria-label", "Evaluate");
  const form = make("form", "input-line", input, make("button", "", "Evaluate"));
  place.append(log, form);
  const completions = new CompletionList(input, async (text, column) => {
    if (!debuggee.isStopped) return [];
    return (await debuggee.ask("completions", { text, column, frameIndex: debuggee.frameIndex })).data.targets;
  });
  /** @type {string[]} */
  const entered = [];
  let at = 0;

  /** The line that is not finished. @type {HTMLElement | undefined} */
  let open;
  const print = (/** @type {string} */ name, /** @type {string} */ text) => {
    const entry = make("pre", name, visible(text));
    open = undefined;
    log.append(entry);
    while (log.childElementCount > MOST) log.firstElementChild?.remove();
    log.scrollTop = log.scrollHeight;
    return entry;
  };

  const printed = (/** @type {string} */ text) => {
    for (const line of text.split(/(?<=\n)/)) {
      if (open?.isConnected) open.append(visible(line));
      else open = print("written", line);
      if (line.endsWith("\n")) open = undefined;
    }
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const expression = input.value.trim();
    if (!expression) return;
    input.value = "";
    completions.close();
    at = entered.push(expression);
    print("entered", expression);
    if (!debuggee.isStopped) return void print("wrong", "Nothing can be evaluated: the program is not stopped. Debug stops in it.");
    try {
      const { data } = await debuggee.ask("evaluate", { expression, frameIndex: debuggee.frameIndex, context: "repl" });
      if (data.type !== "void") print("result", data.result);
      evaluated();
    } catch (error) {
      print("wrong", /** @type {Error} */ (error).message);
    }
  });
  input.addEventListener("keydown", (event) => {
    if (completions.press(event)) return;
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !entered.length) return;
    event.preventDefault();
    at = Math.max(0, Math.min(entered.length, at + by));
    input.value = entered[at] ?? "";
  });
  return { printed };
}
