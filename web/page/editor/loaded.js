// The text with which the program was loaded: the engine speaks of its lines, while the editor may have others.
import { StateEffect, StateField } from "@codemirror/state";

/**
 * @typedef {import("@codemirror/state").EditorState} EditorState
 * @typedef {{ doc: import("@codemirror/state").Text, since: import("@codemirror/state").ChangeDesc | null }} Loaded
 */

/** The text as it is now has been loaded. @type {import("@codemirror/state").StateEffectType<null>} */
export const setLoaded = StateEffect.define();

/** The text that was loaded last. */
export const loaded = StateField.define({
  create: () => /** @type {Loaded | null} */ (null),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setLoaded)) return { doc: transaction.newDoc, since: null };
    }
    if (!value || !transaction.docChanged) return value;
    const { changes } = transaction;
    return { doc: value.doc, since: value.since ? value.since.composeDesc(changes.desc) : changes.desc };
  },
});

/** Whether the text is another than the one that was loaded. @param {EditorState} state */
export function isChanged(state) {
  const known = state.field(loaded);
  return known?.since != null && !known.doc.eq(state.doc);
}

/**
 * Whether the program is another than the one that was loaded: a text, a name, or which files there are.
 * @param {import("../files/workspace.js").Workspace} workspace
 */
export const isOtherProgram = (workspace) => workspace.isRearranged || workspace.files.some(({ state }) => isChanged(state));

/** Whether the text, or an earlier one of this file, has been loaded. @param {EditorState} state */
export const isLoaded = (state) => state.field(loaded) !== null;

/** Where in the text a line of the loaded text is. @param {EditorState} state @param {number} line */
export function lineInText(state, line) {
  const known = state.field(loaded);
  if (!known?.since || !isChanged(state)) return Math.max(1, Math.min(line, state.doc.lines));
  const { from } = known.doc.line(Math.max(1, Math.min(line, known.doc.lines)));
  return state.doc.lineAt(Math.min(known.since.mapPos(from, 1), state.doc.length)).number;
}

/** Which line of the loaded text a position is in. @param {EditorState} state @param {number} position */
export function lineInLoaded(state, position) {
  const known = state.field(loaded);
  if (!known?.since || !isChanged(state)) return state.doc.lineAt(position).number;
  const { from } = state.doc.lineAt(position);
  return known.doc.lineAt(Math.min(known.since.invertedDesc.mapPos(from, 1), known.doc.length)).number;
}
