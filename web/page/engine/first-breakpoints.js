// The breakpoints with which a program starts.

/**
 * @typedef {import("./session.js").Session} Session
 * @typedef {Pick<import("./debuggee.js").Setup, "breakpoints" | "functions">} Breakpoints
 */

/**
 * Sets the breakpoints of files and functions that have some, or had some before.
 * @param {Session} session @param {Breakpoints} breakpoints @param {Breakpoints} before
 */
export function setBreakpoints(session, { breakpoints, functions }, before = { breakpoints, functions }) {
  const files = Object.entries(breakpoints).filter(([file]) => before.breakpoints[file].length);
  return [
    ...files.map(([file, breakpoints]) => session.ask("setBreakpoints", { file, breakpoints })),
    ...(before.functions.length ? [session.ask("setFunctionBreakpoints", { breakpoints: functions })] : []),
  ];
}

/**
 * Starts a program that is loaded. It stops at its first statement if there are no breakpoints: those that are never hit
 * count as none.
 * @param {Session} session @param {Breakpoints} breakpoints @param {ReturnType<typeof setBreakpoints>} asked
 * @returns {Promise<Promise<unknown>[]>} What was asked for.
 */
export async function start(session, breakpoints, asked) {
  const told = (await Promise.allSettled(asked)).flatMap((one) => (one.status === "fulfilled" ? one.value.data.breakpoints : []));
  if (!told.length || told.some(({ verified, enabled }) => verified && enabled)) return [session.ask("start", {})];
  const none = { breakpoints: Object.fromEntries(Object.keys(breakpoints.breakpoints).map((file) => [file, []])), functions: [] };
  return [...setBreakpoints(session, none, breakpoints), session.ask("start", {}), ...setBreakpoints(session, breakpoints)];
}
