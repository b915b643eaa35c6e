// Tells the page around a frame how many cases have passed: `?tell=ORIGIN`, and no page of another origin.

/**
 * The origin that is to be told; `why` if what is asked for is none.
 * @param {string} search @returns {{ origin?: string, why?: string }}
 */
export function toldBy(search) {
  const all = new URLSearchParams(search).getAll("tell");
  if (!all.length) return {};
  const example = "It has to be one origin, such as https://example.org.";
  const [asked] = all;
  if (all.length > 1 || !URL.canParse(asked)) return { why: `The page around this one is not told which cases pass: tell=${all.join("&tell=")} is no origin. ${example}` };
  const { origin, protocol } = new URL(asked);
  if (origin !== asked || !/^https?:$/.test(protocol)) return { why: `The page around this one is not told which cases pass: tell=${asked} is no origin. ${example}` };
  const around = location.ancestorOrigins?.[0];
  if (around !== undefined && around !== origin) return { why: `The page around this one is not told which cases pass: it is of ${around}, and ${origin} is to be told.` };
  return { origin };
}

/** @param {string | undefined} origin @param {number} passed @param {number} of */
export function tell(origin, passed, of) {
  if (origin !== undefined && parent !== window) parent.postMessage({ type: "ez-cases", passed, of }, origin);
}
