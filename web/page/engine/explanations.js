// What `ez explain` says about the codes of reports. Loaded when the first is wanted.

/**
 * A code's explanation: a heading, and paragraphs or programs in the order of the text.
 * @typedef {{ text: string, program?: "wrong" | "right" }[]} Explanation
 */

/** @type {Promise<Record<string, Explanation>> | undefined} */
let loading;

/** The explanation of a code. @param {string} code @returns {Promise<Explanation | undefined>} */
export async function explanation(code) {
  loading ??= fetch("explain.json?v=@@VERSION@@").then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`status ${answer.status}`))));
  try {
    return Object.entries(await loading).find(([known]) => known === code)?.[1];
  } catch (error) {
    loading = undefined;
    throw error;
  }
}
