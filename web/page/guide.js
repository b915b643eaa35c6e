// What a page of this folder around a frame (`?embed&guided`) can do with it: that page has a function `ezGuided`, which
// gets this. Pages of other web spaces cannot be reached.
import { setBreakpoint } from "./editor/breakpoints.js";

/**
 * @typedef {object} Guide
 * @property {(content: import("./files/workspace.js").Content, name: string, panes: string) => void} open Shows a program as
 *     it was left under this name, with these panes of `code,state,output`.
 * @property {(does: string, argument: string) => string | undefined} act Does what a button is for; returns why not.
 * @property {() => import("./engine/checker.js").Program} program
 * @property {(texts: import("./engine/case-run.js").Texts) => void} lead Leads to what prints something else than expected.
 * @property {() => void} onStart Called when a program is started.
 * @property {() => void} onChange Called when a program is changed.
 */

/** Gives it to the page around this one, if that wants it. @param {Guide} guide */
export function offer(guide) {
  try {
    /** @type {any} */ (parent).ezGuided?.(guide);
  } catch {
    // The page around is of another web space, which has nothing to say here.
  }
}

/** What is to be done while no program runs, for which one is started: it stops at its first statement, or a breakpoint. */
const STARTING = new Set(["step", "into", "continue"]);
/** @type {Record<string, import("./engine/debuggee.js").Resuming>} */
const RESUMING = { step: "stepOver", into: "stepInto", out: "stepOut", back: "stepBack", reverse: "reverseContinue", continue: "continue" };

/**
 * @param {object} parts Of the page.
 * @param {import("./engine/debuggee.js").Debuggee} parts.debuggee
 * @param {import("./files/workspace.js").Workspace} parts.workspace
 * @param {import("./editor/editor.js").Editor} parts.editor
 * @param {import("./panes/watches.js").Watches} parts.watches
 * @param {import("./panes/origins.js").Origins} parts.origins
 * @param {(isDebugged: boolean) => void} parts.launch
 * @param {(pane: "inspect" | "picture") => void} parts.showState
 * @param {Guide["lead"]} parts.lead
 * @param {Guide["open"]} parts.open
 * @returns {Guide}
 */
export function makeGuide({ debuggee, workspace, editor, watches, origins, launch, showState, lead, open }) {
  /** Whether the program goes on from its first statement. */
  let goesOn = false;
  debuggee.on("stopped", ({ reason }) => {
    if (goesOn && reason === "entry") debuggee.resume("continue");
    goesOn = false;
  });
  const guide = { open, act, lead, program: () => workspace.program(), onStart: () => {}, onChange: () => {} };
  debuggee.on("launched", () => guide.onStart());
  editor.on("text", () => guide.onChange());
  workspace.on("changed", () => guide.onChange());
  return guide;

  /** @param {string} does @param {string} argument */
  function act(does, argument) {
    if (does === "run") return void launch(false);
    if (does === "break") return stopAt(argument);
    if (does === "watch") return void (showState("inspect"), watches.add(argument));
    if (does === "picture") return void showState("picture");
    if (debuggee.status === "idle" && STARTING.has(does)) {
      goesOn = does === "continue";
      return void launch(true);
    }
    if (!debuggee.isStopped) return debuggee.status === "idle" ? "The program does not run yet: press Step or Continue first." : "The program runs, or waits for input.";
    if (does === "unfold") return void origins.statement(true);
    if (RESUMING[does] === undefined) return `There is no “${does}”.`;
    debuggee.resume(RESUMING[does]);
  }

  /** Sets a breakpoint in the main file. @param {string} argument A line, and a condition if it has one. */
  function stopAt(argument) {
    const [, number, condition] = /^(\d+) ?(.*)$/s.exec(argument) ?? [];
    const { main } = workspace;
    if (Number(number) > main.state.doc.lines) return `The program has no line ${number} any more.`;
    const { from } = main.state.doc.line(Number(number));
    editor.change(main, { effects: setBreakpoint.of({ at: from, options: { enabled: true, ...(condition ? { condition } : {}) } }) });
  }
}
