// Runs a program with cases: what it reads, and what it has to print.
import { Session } from "../page/engine/session.js";
import { make, shorten, visible } from "../shared/elements.js";

/** @typedef {{ input: string, output: string }} Case */
/** @typedef {import("../page/engine/checker.js").Program} Program */

/** How long a program may take with one case, in milliseconds, and how much it may print, in characters. */
const LONGEST = 5000;
const MOST = 1 << 18;

/**
 * Tells whether a program prints what it should, with the first case for which it does not.
 * @param {import("../page/engine/workers.js").Workers} workers @param {Program} program @param {Case[]} cases
 * @returns {Promise<{ isRight: boolean, told: HTMLElement[] }>}
 */
export async function check(workers, program, cases) {
  for (const one of cases) {
    const { printed, why } = await run(workers, program, one.input);
    const different = why ? undefined : difference(one.output, printed);
    if (!why && !different) continue;
    /** @type {HTMLElement[]} */
    const told = [make("p", "", why ?? `Not yet. In line ${different?.line} of the output`)];
    if (different) told.push(make("p", "", "expected:"), shown(different.expected), make("p", "", "printed:"), shown(different.actual));
    if (one.input) told.push(make("p", "", "when this is typed:"), shown(one.input.trimEnd()));
    return { isRight: false, told };
  }
  return { isRight: true, told: [make("p", "", cases.length > 1 ? `Right, in all ${cases.length} cases.` : "Right!")] };
}

/** A text as it is; nothing is said so. @param {string | undefined} text */
const shown = (text) => (text === undefined ? make("p", "", "nothing more") : make("pre", "", visible(shorten(text, 2000)) || " "));

/**
 * The first line that is not the same. Blanks at the ends of lines, and line ends at the end, do not count.
 * @param {string} expected @param {string} actual
 */
export function difference(expected, actual) {
  const lines = (/** @type {string} */ text) => text.replaceAll("\r\n", "\n").split("\n").map((line) => line.replace(/[ \t]+$/, "")).join("\n").replace(/\n+$/, "").split("\n");
  const [wanted, got] = [lines(expected), lines(actual)];
  for (let at = 0; at < Math.max(wanted.length, got.length); at++) {
    if (wanted[at] !== got[at]) return { line: at + 1, expected: wanted[at], actual: got[at] };
  }
}

/**
 * What a program prints, or why it could not be run to its end.
 * @param {import("../page/engine/workers.js").Workers} workers @param {Program} program @param {string} input
 * @returns {Promise<{ printed: string, why?: string }>}
 */
async function run(workers, program, input) {
  let printed = "";
  /** @type {string | undefined} */
  let report;
  const worker = await workers.take().catch((error) => void (report = error.message));
  if (!worker) return { printed, why: report };
  const why = await new Promise((resolve) => {
    const session = new Session(worker, {
      ...program,
      onEvent: ({ event, data }) => {
        if (event === "output" && data.category === "stdout") printed += data.text;
        else if (event === "error" && !data.command) report ??= `${data.location ? `Line ${data.location.line}: ` : ""}${visible(data.message)}`;
        else if (event === "exited") finish(data.exitCode ? report ?? `The program has ended with the exit code ${data.exitCode}.` : undefined);
        if (printed.length > MOST) finish("The program prints more and more.");
      },
      onEnd: ({ failure }) => finish(failure),
      shown: () => Promise.resolve(),
    });
    const timer = setTimeout(() => finish("The program has not ended after 5 seconds. Does it wait for more than is typed, or is there a loop without an end?"), LONGEST);
    /** @param {string | undefined} why */
    function finish(why) {
      clearTimeout(timer);
      session.stop();
      resolve(why);
    }
    session.ask("initialize", { file: program.main, protocolVersion: 2, keepAlive: true, stopOnEntry: false }).catch(() => finish(report ?? "The program has errors and was not started."));
    for (const asked of [session.ask("start", {}), session.ask("input", { text: input, eof: true })]) asked.catch(() => {});
  });
  return { printed, why };
}
