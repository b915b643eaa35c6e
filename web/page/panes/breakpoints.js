// The list of breakpoints, and their options. The gutter is not seen by assistive technology; this is.
import { ask, iconButton, textButton } from "../base/controls.js";
import { make, visible } from "../../shared/elements.js";
import { editFunction, otherRows } from "./other-breakpoints.js";
import { breakpointsOf, described, removeBreakpoint, setBreakpoint } from "../editor/breakpoints.js";

/**
 * @typedef {import("../files/workspace.js").File} File
 * @typedef {import("../editor/editor.js").Editor} Editor
 */

/**
 * @param {HTMLElement} place @param {import("../files/workspace.js").Workspace} workspace @param {Editor} editor
 * @param {import("../engine/other-breakpoints.js").OtherBreakpoints} others Those that are at no line.
 * @param {(where: { file: string, line: number, column: number }) => void} go
 */
export function showBreakpoints(place, workspace, editor, others, go) {
  const shown = make("div", "");
  place.append(shown, textButton("Stop at a function …", () => editFunction(others), "link"));
  const refresh = () => {
    const atLines = workspace.files.flatMap((file) => breakpointsOf(file.state).map((one) => row(file, one, editor, go)));
    const rows = [...atLines, ...otherRows(others)];
    const list = make("ul", "list", ...rows);
    shown.replaceChildren(rows.length ? list : make("p", "nothing", "None. A click beside a line's number, or F9, sets one."));
  };
  others.on("changed", refresh);
  editor.on("breakpoints", refresh);
  editor.on("text", () => { if (workspace.shown && breakpointsOf(workspace.shown.state).length) refresh(); });
  workspace.on("changed", refresh);
  refresh();
}

/**
 * @param {File} file @param {import("../editor/breakpoints.js").Breakpoint} breakpoint @param {Editor} editor
 * @param {(where: { file: string, line: number, column: number }) => void} go
 */
function row(file, breakpoint, editor, go) {
  const { at, options } = breakpoint;
  const { number } = file.state.doc.lineAt(at);
  const name = `${visible(file.name)}, line ${number}`;
  const box = make("input", "");
  Object.assign(box, { type: "checkbox", checked: options.enabled });
  box.setAttribute("aria-label", `Breakpoint in ${name} is on`);
  box.addEventListener("change", () => editor.change(file, { effects: setBreakpoint.of({ at, options: { ...options, enabled: box.checked } }) }));
  const open = textButton(name, () => go({ file: `/${file.name}`, line: number, column: 1 }), "what");
  const more = described(breakpoint);
  if (more) open.append(make("small", "", more));
  const edit = iconButton("more", `Options of the breakpoint in ${name}`, () => editBreakpoint(file, at, editor));
  const remove = iconButton("close", `Remove the breakpoint in ${name}`, () => editor.change(file, { effects: removeBreakpoint.of(at) }));
  return make("li", "", box, open, edit, remove);
}

/** Asks for the options of a breakpoint; sets one if there is none. @param {File} file @param {number} at @param {Editor} editor */
export function editBreakpoint(file, at, editor) {
  const known = breakpointsOf(file.state).find((one) => one.at === at);
  const options = known?.options ?? { enabled: true };
  const { number } = file.state.doc.lineAt(at);
  ask({
    title: `Breakpoint in line ${number}`,
    fields: [
      { name: "enabled", label: "On", value: options.enabled },
      { name: "condition", label: "Condition", value: options.condition ?? "", hint: "Stop only if this is true, such as i == 3" },
      { name: "hitCondition", label: "Hits", value: options.hitCondition ?? "", hint: "5 is the fifth time, >= 5 from then on, % 5 each fifth time" },
      { name: "logMessage", label: "Message", value: options.logMessage ?? "", hint: "Print this instead of stopping; {i} is the value of i" },
    ],
    button: "Set",
    take: ({ enabled, ...texts }) => {
      const given = Object.entries(texts).map(([name, text]) => [name, text.trim()]).filter(([, text]) => text);
      editor.change(file, { effects: setBreakpoint.of({ at, options: { enabled, ...Object.fromEntries(given) } }) });
    },
    other: known && { text: "Remove", action: () => editor.change(file, { effects: removeBreakpoint.of(at) }) },
  });
}
