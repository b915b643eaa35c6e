// Runs a program with cases, and says what is not right yet.
import { CaseRunner } from "../page/engine/case-run.js";
import { differenceElements } from "../page/panes/difference.js";
import { make, shorten, visible } from "../shared/elements.js";

/** @typedef {import("../page/engine/case-run.js").Texts} Texts */

/**
 * Tells whether a program prints what it should, with the first case for which it does not.
 * @param {import("../page/engine/workers.js").Workers} workers @param {import("../page/engine/checker.js").Program} program @param {Texts[]} cases @param {AbortSignal} signal Ends it.
 * @returns {Promise<{ isRight: boolean, told: HTMLElement[], different?: Texts }>} `different`: the case for which something
 *     else is printed.
 */
export async function check(workers, program, cases, signal) {
  const runner = new CaseRunner(workers);
  for (const one of cases) {
    const { isRight, difference, why } = await runner.run(program, one, signal);
    if (isRight) continue;
    const told = difference ? [make("p", "", "Not yet."), ...differenceElements(difference)] : [make("p", "", why ?? "")];
    if (one.input) told.push(make("p", "", "when this is typed:"), make("pre", "", visible(shorten(one.input.trimEnd(), 2000)) || " "));
    return { isRight: false, told, different: difference && one };
  }
  runner.end();
  return { isRight: true, told: [make("p", "", cases.length > 1 ? `Right, in all ${cases.length} cases.` : "Right!")] };
}
