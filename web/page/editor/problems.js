// Errors and warnings at their place.
import { setDiagnostics } from "@codemirror/lint";
import { make, visible } from "../../shared/elements.js";
import { rangeOf } from "./places.js";

/** @typedef {import("../engine/session.js").Diagnostic} Problem */

/** What an error says, with its help. @param {Problem} problem */
export function problemElement({ message, code, help }) {
  const head = make("div", "problem-message", code ? make("b", "", code) : "", code ? " " : "", visible(message));
  return make("div", "problem", head, ...(help ? [make("div", "problem-help", "Help: " + visible(help))] : []));
}

/**
 * The transaction that shows the problems of a file.
 * @param {import("@codemirror/state").EditorState} state
 * @param {Problem[]} problems @param {(code: string) => void} explain
 */
export function showProblems(state, problems, explain) {
  const shown = problems.flatMap((problem) => {
    const { location, code } = problem;
    if (!location) return [];
    const { from, to } = rangeOf(state.doc, location);
    const severity = /** @type {"warning" | "error"} */ (problem.severity === "warning" ? "warning" : "error");
    const actions = code ? [{ name: `Explain ${code}`, apply: () => explain(code) }] : [];
    return [{ from, to, severity, message: problem.message, renderMessage: () => problemElement(problem), actions }];
  });
  return setDiagnostics(state, shown);
}
