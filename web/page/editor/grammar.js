// The colours of the program, by the grammar that the other editors use.
import { StreamLanguage } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import grammar from "../../../editors/vscode/syntaxes/ez.tmLanguage.json";

/**
 * A rule of the grammar: a pattern, or what is between two.
 * @typedef {object} Rule
 * @property {string | null} style The colour of all of it.
 * @property {RegExp} begin
 * @property {RegExp} [end]
 * @property {(string | null)[]} captures The colours of groups of `begin`.
 * @property {Rule[]} [inside] The rules between `begin` and `end`.
 */

/** Which colour the scopes of the grammar have, the first that fits. */
const STYLES = /** @type {const} */ ([
  ["comment", "comment"], ["string", "string"], ["constant.character", "escape"],
  ["punctuation.section.interpolation", "special"], ["punctuation.definition.module", "namespace"],
  ["storage.modifier.attribute", "meta"], ["storage", "keyword"], ["keyword.operator.word", "keyword"],
  ["keyword.operator", "operator"], ["keyword", "keyword"], ["support.type", "typeName"],
  ["entity.name.type", "typeName"], ["entity.name.function", "function"], ["entity.name.namespace", "namespace"],
  ["constant.language", "atom"], ["constant.numeric", "number"],
]);

const TAGS = {
  comment: tags.comment, string: tags.string, escape: tags.escape, special: tags.special(tags.brace),
  meta: tags.meta, keyword: tags.keyword, operator: tags.operator, typeName: tags.typeName,
  function: tags.function(tags.variableName), namespace: tags.namespace, atom: tags.atom, number: tags.number,
};

/** @param {string | undefined} scope */
const styleOf = (scope) => STYLES.find(([prefix]) => scope?.startsWith(prefix))?.[1] ?? null;

/** @type {Map<any, Rule[]>} */
const compiled = new Map();

/**
 * The rules of a list of patterns; `include`s are replaced by what they name.
 * @param {any[]} patterns @returns {Rule[]}
 */
function rules(patterns) {
  const known = compiled.get(patterns);
  if (known) return known;
  /** @type {Rule[]} */
  const all = [];
  compiled.set(patterns, all);
  for (const pattern of patterns) {
    if (pattern.include) {
      const named = /** @type {any} */ (grammar.repository)[pattern.include.slice(1)];
      all.push(...rules(named.begin || named.match ? (named.list ??= [named]) : named.patterns));
      continue;
    }
    const groups = pattern.captures ?? pattern.beginCaptures ?? {};
    const captures = Object.entries(groups).reduce((list, [at, { name }]) => { list[Number(at)] = styleOf(name); return list; }, /** @type {(string | null)[]} */ ([]));
    /** @type {Rule} */
    const rule = { style: styleOf(pattern.name), begin: new RegExp(pattern.match ?? pattern.begin, "dy"), captures };
    all.push(rule);
    if (pattern.end) {
      rule.end = new RegExp(pattern.end, "y");
      rule.inside = rules(pattern.patterns ?? []);
    }
  }
  return all;
}

const TOP = rules(grammar.patterns);

/**
 * Where the text is: the rules that have begun and not ended, and the coloured pieces of a match that follow.
 * @typedef {{ open: Rule[], pieces: { end: number, style: string | null }[] }} State
 */

/** A string ends with its line, except a raw one. @param {Rule} rule */
const endsWithLine = (rule) => rule.end?.source === '"';

/**
 * The pieces of a match: its groups, and what is between them.
 * @param {RegExpExecArray} found @param {Rule} rule @returns {State["pieces"]}
 */
function piecesOf(found, rule) {
  const end = found.index + found[0].length;
  /** @type {State["pieces"]} */
  const pieces = [];
  rule.captures.forEach((style, group) => {
    const range = found.indices?.[group];
    if (!range) return;
    const at = pieces.at(-1)?.end ?? found.index;
    if (range[0] > at) pieces.push({ end: range[0], style: rule.style });
    pieces.push({ end: range[1], style });
  });
  if ((pieces.at(-1)?.end ?? found.index) < end) pieces.push({ end, style: rule.style });
  return pieces;
}

/** @param {import("@codemirror/language").StringStream} stream @param {State} state @returns {string | null} */
function token(stream, state) {
  if (stream.sol()) {
    state.pieces = [];
    const broken = state.open.findIndex(endsWithLine);
    if (broken >= 0) state.open.length = broken;
  }
  const piece = state.pieces.shift();
  if (piece) {
    stream.pos = piece.end;
    return piece.style;
  }
  const around = state.open.at(-1);
  if (around?.end) {
    around.end.lastIndex = stream.pos;
    const found = around.end.exec(stream.string);
    if (found && found[0].length) {
      stream.pos += found[0].length;
      state.open.pop();
      return around.captures[0] ?? around.style;
    }
  }
  for (const rule of around?.inside ?? TOP) {
    rule.begin.lastIndex = stream.pos;
    const found = rule.begin.exec(stream.string);
    if (!found || !found[0].length) continue;
    if (rule.inside) state.open.push(rule);
    state.pieces = piecesOf(found, rule);
    const first = /** @type {{ end: number, style: string | null }} */ (state.pieces.shift());
    stream.pos = first.end;
    return first.style;
  }
  stream.next();
  return around?.style ?? null;
}

/** EZ, for the editor. */
export const language = StreamLanguage.define(/** @type {import("@codemirror/language").StreamParser<State>} */ ({
  name: "ez",
  startState: () => ({ open: [], pieces: [] }),
  copyState: ({ open, pieces }) => ({ open: [...open], pieces: [...pieces] }),
  token,
  tokenTable: TAGS,
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    closeBrackets: { brackets: ["(", "[", "{", '"', "'", "`"] },
    indentOnInput: /^\s*[)\]}]$/,
  },
}));
