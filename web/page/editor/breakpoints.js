// Breakpoints in the gutter: they stay at their statement when the text is changed, and come back when that is undone.
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { gutter, GutterMarker, lineNumbers } from "@codemirror/view";
import { invertedEffects } from "@codemirror/commands";
import { make, visible } from "../../shared/elements.js";

/**
 * @typedef {{ condition?: string, hitCondition?: string, logMessage?: string, enabled: boolean }} Options
 * @typedef {{ verified: boolean, message?: string, actualLine?: number }} Told What the engine says of a breakpoint.
 * @typedef {{ at: number, options: Options, told?: Told }} Breakpoint `at` is the start of its line.
 * @typedef {import("@codemirror/state").EditorState} EditorState
 */

/** Sets a breakpoint, or gives it other options. @type {import("@codemirror/state").StateEffectType<{ at: number, options: Options }>} */
export const setBreakpoint = StateEffect.define({ map: ({ at, options }, changes) => ({ at: changes.mapPos(at), options }) });
/** Removes the breakpoint of a line. @type {import("@codemirror/state").StateEffectType<number>} */
export const removeBreakpoint = StateEffect.define({ map: (at, changes) => changes.mapPos(at) });
/** What the engine says of all breakpoints, in their order. @type {import("@codemirror/state").StateEffectType<(Told | undefined)[]>} */
export const tellBreakpoints = StateEffect.define();

/**
 * Where a breakpoint is after a change, or nothing if its line was deleted.
 * @param {Breakpoint} breakpoint @param {import("@codemirror/state").Transaction} transaction
 */
function moved({ at, ...rest }, { startState, newDoc, changes }) {
  const line = startState.doc.lineAt(at);
  const [from, to] = [changes.mapPos(line.from, 1), changes.mapPos(line.to, -1)];
  const isGone = line.length > 0 && from >= to && newDoc.lines < startState.doc.lines;
  return isGone ? undefined : { at: newDoc.lineAt(Math.min(from, newDoc.length)).from, ...rest };
}

const field = StateField.define({
  create: () => /** @type {Breakpoint[]} */ ([]),
  update(all, transaction) {
    let next = all;
    if (transaction.docChanged && all.length) {
      /** @type {Map<number, Breakpoint>} */
      const found = new Map();
      for (const one of all) {
        const there = moved(one, transaction);
        if (there && !found.has(there.at)) found.set(there.at, there);
      }
      next = [...found.values()];
    }
    for (const effect of transaction.effects) {
      if (effect.is(setBreakpoint)) {
        const at = transaction.newDoc.lineAt(Math.min(effect.value.at, transaction.newDoc.length)).from;
        next = [...next.filter((one) => one.at !== at), { at, options: effect.value.options }].sort((a, b) => a.at - b.at);
      } else if (effect.is(removeBreakpoint)) {
        next = next.filter((one) => one.at !== effect.value);
      } else if (effect.is(tellBreakpoints)) {
        next = next.map(({ at, options }, index) => ({ at, options, told: effect.value[index] }));
      }
    }
    return next;
  },
});

/** The breakpoints of a file, in the order of its lines. @param {EditorState} state */
export const breakpointsOf = (state) => state.field(field);

/**
 * The effect that sets a breakpoint in a line, or takes it away.
 * @param {EditorState} state @param {number} position Anywhere in the line.
 */
export function toggled(state, position) {
  const at = state.doc.lineAt(position).from;
  const isSet = breakpointsOf(state).some((one) => one.at === at);
  return { effect: isSet ? removeBreakpoint.of(at) : setBreakpoint.of({ at, options: { enabled: true } }), isSet: !isSet };
}

/** What there is to say of a breakpoint. @param {Breakpoint} breakpoint */
export function described({ options, told }) {
  const said = [];
  if (!options.enabled) said.push("off");
  if (options.condition) said.push(`if ${options.condition}`);
  if (options.hitCondition) said.push(`hits ${options.hitCondition}`);
  if (options.logMessage) said.push(`prints ${options.logMessage}`);
  if (told?.message) said.push(told.message);
  return visible(said.join("; "));
}

class Marker extends GutterMarker {
  /** @param {Breakpoint} breakpoint */
  constructor(breakpoint) {
    super();
    this.breakpoint = breakpoint;
  }

  /** @param {GutterMarker} other @override */
  eq(other) {
    return other instanceof Marker && other.breakpoint === this.breakpoint;
  }

  /** @override */
  toDOM() {
    const { options, told } = this.breakpoint;
    const kind = options.logMessage ? "log" : options.condition || options.hitCondition ? "conditional" : "";
    const state = !options.enabled ? "off" : told && !told.verified ? "unverified" : "";
    const dot = make("span", `breakpoint ${kind} ${state}`);
    dot.title = described(this.breakpoint) || "Breakpoint";
    return dot;
  }
}

const spacer = new (class extends GutterMarker {
  /** @override */
  toDOM = () => make("span", "breakpoint spacer");
})();

/**
 * The gutter.
 * @param {object} options
 * @param {(view: import("@codemirror/view").EditorView, at: number) => void} options.toggle A line was clicked.
 * @param {(view: import("@codemirror/view").EditorView, at: number) => void} options.edit Its menu was asked for.
 */
export function breakpointGutter({ toggle, edit }) {
  const handlers = {
    click: (/** @type {import("@codemirror/view").EditorView} */ view, /** @type {{ from: number }} */ line) => { toggle(view, line.from); return true; },
    contextmenu: (/** @type {import("@codemirror/view").EditorView} */ view, /** @type {{ from: number }} */ line, /** @type {Event} */ event) => {
      event.preventDefault();
      edit(view, line.from);
      return true;
    },
  };
  return [
    field,
    invertedEffects.of((transaction) => {
      if (!transaction.docChanged) return [];
      return breakpointsOf(transaction.startState)
        .filter((one) => !moved(one, transaction))
        .map(({ at, options }) => setBreakpoint.of({ at, options }));
    }),
    gutter({
      class: "breakpoints",
      markers: (view) => RangeSet.of(breakpointsOf(view.state).map((one) => new Marker(one).range(one.at))),
      initialSpacer: () => spacer,
      domEventHandlers: handlers,
    }),
    lineNumbers({ domEventHandlers: handlers }),
  ];
}
