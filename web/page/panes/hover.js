// The value of the expression under the mouse.
import { make, visible } from "../../shared/elements.js";
import { isChanged, isLoaded } from "../editor/loaded.js";

/**
 * What is shown over an expression, if there is something.
 * @param {import("../engine/debuggee.js").Debuggee} debuggee
 * @param {import("@codemirror/state").EditorState | undefined} state That of the file. @param {string} expression
 */
export async function hovered(debuggee, state, expression) {
  if (!debuggee.isStopped || !state || !isLoaded(state) || isChanged(state)) return null;
  try {
    const { data } = await debuggee.ask("evaluate", { expression, frameIndex: debuggee.frameIndex, context: "hover" });
    if (data.type === "void") return null;
    return make("div", "hovered", `${visible(expression)} = ${visible(data.result)}`, make("small", "", visible(data.declaredType ?? data.type)));
  } catch {
    // Not everything that looks like an expression is one.
    return null;
  }
}
