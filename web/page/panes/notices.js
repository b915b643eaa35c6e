// When what the user was told is not so any more.
import { isOtherProgram } from "../editor/loaded.js";

/**
 * Has to be called before anything is said about an event of the debuggee.
 * @param {import("../base/notice.js").Notice} notice
 * @param {import("../engine/debuggee.js").Debuggee} debuggee
 * @param {import("../editor/editor.js").Editor} editor
 * @param {import("../files/workspace.js").Workspace} workspace
 */
export function followReasons(notice, debuggee, editor, workspace) {
  debuggee.on("launched", () => notice.over("failed", "breakpoints", "changed", "answer", "link", "opening"));
  debuggee.on("ended", () => notice.over("breakpoints", "changed", "answer"));
  debuggee.on("stopped", () => notice.over("answer"));
  editor.on("text", () => {
    if (!isOtherProgram(workspace)) notice.over("changed");
    // Taking it back would take back what was written since, too.
    notice.over("replaced", "link");
  });
  workspace.on("replaced", () => notice.over("link", "opening", "changed"));
  workspace.on("changed", () => {
    notice.over("replaced");
    if (!isOtherProgram(workspace)) notice.over("changed");
  });
}
