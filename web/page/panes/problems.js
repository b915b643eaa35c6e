// The list of errors and warnings.
import { textButton } from "../base/controls.js";
import { make, visible } from "../../shared/elements.js";
import { problemElement } from "../editor/problems.js";

/** @typedef {import("../engine/session.js").Diagnostic} Problem */

export class Problems {
  #list = make("ul", "problems");
  #options;

  /**
   * @param {HTMLElement} place
   * @param {object} options
   * @param {(problem: Problem) => void} options.go Goes to its place.
   * @param {(code: string) => void} options.explain
   * @param {(count: number) => void} options.counted
   */
  constructor(place, options) {
    this.#options = options;
    place.append(this.#list);
    this.show([]);
  }

  /** @param {Problem[]} problems */
  show(problems) {
    this.#list.replaceChildren(...problems.map((problem) => make("li", "", reportElement(problem, this.#options))));
    if (!problems.length) this.#list.append(make("li", "nothing", "No problems are known."));
    this.#options.counted(problems.length);
  }
}

/**
 * An error with its place, help and explanation.
 * @param {Problem} problem
 * @param {{ go: (problem: Problem) => void, explain: (code: string) => void }} options
 */
export function reportElement(problem, { go, explain }) {
  const { location, code, stack = [] } = problem;
  const element = make("div", `report ${problem.severity === "warning" ? "warning" : "error"}`);
  element.append(problemElement(problem));
  const links = make("div", "links");
  if (location) links.append(placeLink(location, () => go(problem)));
  if (code) links.append(textButton(`Explain ${code}`, () => explain(code), "link"));
  element.append(links);
  if (stack.length > 1) {
    const calls = stack.map((frame) => {
      const link = placeLink(frame, () => go({ ...problem, location: { file: frame.file, line: frame.line, column: frame.column } }));
      return make("li", "", visible(frame.function), " ", link);
    });
    element.append(make("ol", "stack", ...calls));
  }
  return element;
}

/** @param {{ file?: string, line: number }} place @param {() => void} go */
function placeLink({ file, line }, go) {
  const name = file?.split("/").at(-1);
  return textButton(name ? `${visible(name)}, line ${line}` : `Line ${line}`, go, "link");
}
