// Asks the engine why a program prints something else than expected: it runs the program again, and goes back (src/web/explain.rs).

/**
 * @typedef {import("./case-run.js").Texts} Texts
 * @typedef {import("./checker.js").Program} Program
 * @typedef {import("./workers.js").Workers} Workers
 */

/** A fact about a statement. It explains the one above it that is indented less. @typedef {{ indent: number, text: string, file: string, line: number, column: number, step: number }} CauseLine */

/** How long it may take, in milliseconds. */
const LONGEST = 10_000;

/**
 * @param {Workers} workers @param {Program} program @param {Texts} texts What it reads, and has to print.
 * @param {number} offset Where the difference is that is explained, in bytes of the output. @param {AbortSignal} signal Ends it.
 * @returns {Promise<CauseLine[]>} None, if nothing is known.
 */
export async function explain(workers, program, { input, output }, offset, signal) {
  const worker = await workers.take().catch(() => undefined);
  if (!worker) return [];
  const found = await new Promise((resolve) => {
    // Such a browser keeps no history.
    if (worker.way === "given" || signal.aborted) return resolve([]);
    const timer = setTimeout(() => resolve([]), LONGEST);
    signal.addEventListener("abort", () => resolve([]));
    worker.onmessage = ({ data }) => {
      if (!["lines", "ended", "failed"].includes(data.type)) return;
      clearTimeout(timer);
      resolve(data.type === "lines" ? JSON.parse(data.text).cause ?? [] : []);
    };
    worker.postMessage({ type: "start", files: program.files, main: program.main, explains: true });
    worker.postMessage({ type: "line", text: JSON.stringify({ input, output, offset }) });
  });
  worker.terminate();
  return found;
}
