// The editor of the files. It is in a shadow tree: there its styles are objects and no text of the page, which the
// content policy forbids.
import { EditorState } from "@codemirror/state";
import { drawSelection, dropCursor, EditorView, highlightSpecialChars, hoverTooltip, keymap } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { lintKeymap } from "@codemirror/lint";
import { Emitter } from "../base/emitter.js";
import { make } from "../../shared/elements.js";
import { breakpointGutter, breakpointsOf, setBreakpoint, toggled } from "./breakpoints.js";
import { executionMarks } from "./execution.js";
import { expressionAt } from "./expression.js";
import { language } from "./grammar.js";
import { indentation } from "./indent.js";
import { loaded } from "./loaded.js";
import { appearance } from "./theme.js";

/**
 * @typedef {import("../files/workspace.js").File} File
 * @typedef {import("@codemirror/state").TransactionSpec} TransactionSpec
 */

/**
 * @typedef {object} Options
 * @property {boolean} isReadOnly
 * @property {(expression: string) => Promise<HTMLElement | null>} hover What is shown over an expression.
 * @property {(file: File, at: number) => void} editBreakpoint Its menu was asked for, at the start of a line.
 */

/** The name of the text that says how the editor is left. */
const ABOUT = "about-editor";

/** The effect that brings a position into sight. @param {number} at */
export const intoSight = (at) => EditorView.scrollIntoView(at, { y: "nearest", yMargin: 60 });

/**
 * The editor shows one file at a time; the state of the others is kept with them.
 * @extends {Emitter<{ text: File, breakpoints: File, toggled: { line: number, isSet: boolean } }>}
 */
export class Editor extends Emitter {
  /** @type {File | undefined} */
  file;
  #view;
  #options;

  /** @param {HTMLElement} place @param {Options} options */
  constructor(place, options) {
    super();
    this.#options = options;
    const root = place.attachShadow({ mode: "open" });
    const about = make("p", "", "Escape, then Tab leaves the editor.");
    Object.assign(about, { id: ABOUT, hidden: true });
    root.append(about);
    this.#view = new EditorView({ root, parent: root, dispatchTransactions: (all) => this.#update(all) });
  }

  /** The state of a file. @param {import("../files/workspace.js").SavedText} saved */
  open({ text, breakpoints = [] }) {
    const state = EditorState.create({ doc: text, extensions: this.#extensions() });
    const known = breakpoints.filter(({ line }) => line >= 1 && line <= state.doc.lines);
    return state.update({ effects: known.map(({ line, options }) => setBreakpoint.of({ at: state.doc.line(line).from, options })) }).state;
  }

  /** What is kept of a state. @param {EditorState} state @returns {import("../files/workspace.js").SavedText} */
  save(state) {
    const breakpoints = breakpointsOf(state).map(({ at, options }) => ({ line: state.doc.lineAt(at).number, options }));
    return { text: state.doc.toString(), breakpoints };
  }

  /** Shows a file. @param {File} file */
  show(file) {
    if (this.file === file) return;
    this.file = file;
    this.#view.setState(file.state);
  }

  /**
   * Changes the state of a file, whether it is shown or not.
   * @param {File} file @param {TransactionSpec} change
   */
  change(file, change) {
    if (file === this.file) return this.#view.dispatch(change);
    const before = file.state;
    const transaction = before.update(change);
    file.state = transaction.state;
    this.#tell(file, before, [transaction]);
  }

  /** Puts the cursor at a position of the file that is shown. @param {number} at */
  choose(at) {
    this.#view.dispatch({ effects: intoSight(at), selection: { anchor: at } });
    this.#view.focus();
  }

  /** Sets or removes the breakpoint in the line of the cursor. */
  toggleBreakpoint() {
    this.#toggle(this.#view.state.selection.main.head);
  }

  /** Where the cursor is. */
  get cursor() {
    return this.#view.state.selection.main.head;
  }

  focus() {
    this.#view.focus();
  }

  /** @param {number} position */
  #toggle(position) {
    const { state } = this.#view;
    const { effect, isSet } = toggled(state, position);
    this.#view.dispatch({ effects: effect });
    this.emit("toggled", { line: state.doc.lineAt(position).number, isSet });
  }

  /** @param {readonly import("@codemirror/state").Transaction[]} transactions */
  #update(transactions) {
    this.#view.update(transactions);
    const { file } = this;
    if (!file) return;
    const before = file.state;
    file.state = this.#view.state;
    this.#tell(file, before, transactions);
  }

  /** @param {File} file @param {EditorState} before @param {readonly import("@codemirror/state").Transaction[]} transactions */
  #tell(file, before, transactions) {
    if (transactions.some((one) => one.docChanged)) this.emit("text", file);
    if (breakpointsOf(before) !== breakpointsOf(file.state)) this.emit("breakpoints", file);
  }

  #extensions() {
    const { isReadOnly, hover, editBreakpoint } = this.#options;
    return [
      breakpointGutter({
        toggle: (_, at) => this.#toggle(at),
        edit: (_, at) => { if (this.file) editBreakpoint(this.file, at); },
      }),
      loaded, executionMarks, language, indentation, appearance,
      history(), drawSelection(), dropCursor(), highlightSpecialChars(), indentOnInput(), bracketMatching(),
      closeBrackets(), highlightSelectionMatches(),
      EditorState.allowMultipleSelections.of(true),
      EditorState.readOnly.of(isReadOnly),
      EditorView.contentAttributes.of({ "aria-label": "Program", "aria-describedby": ABOUT, tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
      // A key of its own leaves the editor, since the tab key indents.
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
      hoverTooltip(async (view, position, side) => {
        const { from, text } = view.state.doc.lineAt(position);
        const found = expressionAt(text, position - from);
        if (!found || (from + found.to === position && side > 0)) return null;
        const shown = await hover(text.slice(found.from, found.to));
        return shown && { pos: from + found.from, end: from + found.to, above: true, create: () => ({ dom: shown }) };
      }, { hoverTime: 350 }),
    ];
  }
}
