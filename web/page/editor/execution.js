// Where the program is: the next line, what is looked at in it, and values beside it.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";
import { make, visible } from "../../shared/elements.js";

/**
 * A line of the text, and what is shown there.
 * @typedef {object} Execution
 * @property {number} line
 * @property {"present" | "past" | "caller" | "error"} kind
 * @property {{ from: number, to: number }} [range] What is marked in the text besides.
 * @property {string} [beside] The text beside the line.
 */

/** Shows where the program is, or nothing. @type {import("@codemirror/state").StateEffectType<Execution | null>} */
export const setExecution = StateEffect.define();
/** Marks a part of the text, or nothing. @type {import("@codemirror/state").StateEffectType<{ from: number, to: number } | null>} */
export const setPart = StateEffect.define();

class Beside extends WidgetType {
  /** @param {string} text @param {boolean} isError */
  constructor(text, isError) {
    super();
    this.text = text;
    this.isError = isError;
  }

  /** @param {Beside} other @override */
  eq(other) {
    return other.text === this.text && other.isError === this.isError;
  }

  /** @override */
  toDOM() {
    return make("span", this.isError ? "beside error" : "beside", visible(this.text));
  }
}

/**
 * @param {import("@codemirror/state").Text} doc @param {Execution} execution
 */
function decorations(doc, { line, kind, range, beside }) {
  const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const all = [Decoration.line({ class: `execution ${kind}`, attributes: { "aria-current": "step" } }).range(from)];
  if (range && range.from < range.to) all.push(Decoration.mark({ class: "statement" }).range(range.from, Math.min(range.to, doc.length)));
  if (beside) all.push(Decoration.widget({ widget: new Beside(beside, kind === "error"), side: 1 }).range(to));
  return Decoration.set(all, true);
}

/** @type {StateField<import("@codemirror/view").DecorationSet>} */
const execution = StateField.define({
  create: () => Decoration.none,
  update(marks, { effects, changes, newDoc }) {
    marks = marks.map(changes);
    for (const effect of effects) {
      if (effect.is(setExecution)) marks = effect.value ? decorations(newDoc, effect.value) : Decoration.none;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** @type {StateField<import("@codemirror/view").DecorationSet>} */
const part = StateField.define({
  create: () => Decoration.none,
  update(marks, { effects, changes, newDoc }) {
    marks = marks.map(changes);
    for (const effect of effects) {
      if (!effect.is(setPart)) continue;
      const { from, to } = effect.value ?? { from: 0, to: 0 };
      marks = from < to ? Decoration.set(Decoration.mark({ class: "part" }).range(from, Math.min(to, newDoc.length))) : Decoration.none;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const executionMarks = [execution, part];
