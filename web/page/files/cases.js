// Cases of a program: what it reads, and what it has to print then. They belong to a file, with the text of the exercise
// that it is for, if there is one. It knows nothing of the document.

/** @typedef {{ name: string, input: string, output: string }} Case One that is changed is another object. */
/** @typedef {{ cases?: Case[], task?: string }} Exercise `task` is a plain text: what the program is to do. */

const MOST_CASES = 200;
const TOO_MANY = `There can be ${MOST_CASES} cases at most.`;
const ORDER = new Intl.Collator("en", { numeric: true });

/** Whether two cases are the same. @param {Case} one @param {Case} other */
export const isSameCase = (one, other) => one.name === other.name && one.input === other.input && one.output === other.output;

/** A case without what else may be in it. @param {Case} one @returns {Case} */
const plainCase = ({ name, input, output }) => ({ name, input, output });

/** What is kept and passed on with a file's text. @param {Exercise} exercise @returns {Exercise} */
export const plainExercise = ({ cases, task }) => ({ ...(cases?.length ? { cases: cases.map(plainCase) } : {}), ...(task ? { task } : {}) });

/**
 * All that was written of a file, by which it is compared: its text, then a line for each other part. Without cases and an
 * exercise, its text.
 * @param {Exercise & { text: string }} file
 */
export function wholeOf({ text, ...rest }) {
  const { cases = [], task } = plainExercise(rest);
  return [text, ...(task === undefined ? [] : [JSON.stringify(task)]), ...cases.map(({ name, input, output }) => JSON.stringify([name, input, output]))].join("\n");
}

/** How many characters are with a file beside its text. @param {Exercise} exercise */
export const sizeOf = ({ cases = [], task = "" }) => cases.reduce((sum, { name, input, output }) => sum + name.length + input.length + output.length, task.length);

/** Why something that was read from elsewhere cannot be with a file, in a sentence. @param {any} file */
export function whyNoExercise({ cases, task }) {
  const isCase = (/** @type {any} */ one) => one && [one.name, one.input, one.output].every((text) => typeof text === "string");
  if (task !== undefined && typeof task !== "string") return "Its exercise is no text.";
  if (cases === undefined) return;
  if (!Array.isArray(cases) || !cases.every(isCase)) return "Its cases cannot be read.";
  return whyNoCases(cases);
}

/** Why these cannot be the cases of a file, in a sentence. @param {Case[]} cases */
export function whyNoCases(cases) {
  if (cases.length > MOST_CASES) return TOO_MANY;
  const names = new Set();
  for (const { name } of cases) {
    if (!name.trim() || name.length > 100 || /[\u0000-\u001f\\/]/.test(name) || name.startsWith(".")) return `“${[...name].slice(0, 60).join("")}” cannot be the name of a case.`;
    if (names.has(name)) return `There are two cases ${name}.`;
    names.add(name);
  }
}

/** A name that no case has. @param {Case[]} cases */
export function freeCaseName(cases) {
  for (let number = cases.length + 1; ; number++) if (!cases.some(({ name }) => name === String(number))) return String(number);
}

/** These cases with others, each in place of the one of its name, in the order of names. @param {Case[]} cases @param {Case[]} others */
export function withCases(cases, others) {
  const left = cases.filter(({ name }) => !others.some((one) => one.name === name));
  return [...left, ...others].sort((one, other) => ORDER.compare(one.name, other.name));
}

/** @typedef {{ name: string, text: string }} Text The text of a file. */

/**
 * The cases in files of the disk, `NAME.in` and `NAME.out` (or `NAME.ans`), and the other files.
 * @param {Text[]} files @param {Case[]} known Cases of which one part may be given anew.
 * @returns {{ cases: Case[], others: Text[], wrong?: string }} `wrong`: why not all were used, in sentences.
 */
export function casesIn(files, known) {
  /** @type {Map<string, { input?: string, output?: string }>} */
  const parts = new Map();
  const [others, wrong] = [/** @type {Text[]} */ ([]), /** @type {string[]} */ ([])];
  for (const file of files) {
    const [, name, kind] = /^(.+)\.(in|out|ans|args|status)$/.exec(file.name) ?? [];
    if (!name) others.push(file);
    else if (kind === "args" || kind === "status") wrong.push(`${file.name} is not used: cases have neither arguments nor an exit status here.`);
    else parts.set(name, { ...parts.get(name), [kind === "in" ? "input" : "output"]: file.text });
  }
  const cases = [...parts].flatMap(([name, { input, output }]) => {
    const before = known.find((one) => one.name === name);
    if (output !== undefined || before) return [{ name, input: input ?? before?.input ?? "", output: output ?? before?.output ?? "" }];
    wrong.push(`${name}.in is not used without ${name}.out, which says what has to be printed.`);
    return [];
  });
  return { cases, others, wrong: wrong.join(" ") || undefined };
}

/** A case as files. @param {Case} one @returns {Text[]} */
export const filesOf = ({ name, input, output }) => [...(input ? [{ name: `${name}.in`, text: input }] : []), { name: `${name}.out`, text: output }];
