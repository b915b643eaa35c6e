// What a code of a report means.
import { showText } from "../base/controls.js";
import { explanation } from "../engine/explanations.js";
import { make } from "../../shared/elements.js";

/** Shows the explanation of a code. @param {string} code */
export async function explain(code) {
  let found;
  try {
    found = await explanation(code);
  } catch {
    return showText(code, make("p", "", "The explanations cannot be loaded. Is there a connection?"));
  }
  if (!found) return showText(code, make("p", "", "There is no explanation of this code."));
  const inside = found.flatMap(({ text, program }) => {
    if (!program) return [make("p", "", text.replaceAll("`", ""))];
    return [make("h3", "", program === "wrong" ? "Wrong:" : "Right:"), make("pre", "", text)];
  });
  showText(code, ...inside);
}
