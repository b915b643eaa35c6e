// How the editor looks: the colours are the page's.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colors = HighlightStyle.define([
  { tag: tags.comment, color: "var(--comment)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--string)" },
  { tag: [tags.escape, tags.special(tags.brace)], color: "var(--escape)" },
  { tag: [tags.keyword, tags.meta], color: "var(--keyword)" },
  { tag: [tags.typeName, tags.namespace], color: "var(--type)" },
  { tag: tags.function(tags.variableName), color: "var(--function)" },
  { tag: [tags.number, tags.atom], color: "var(--number)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--panel)", fontSize: "var(--code-size, .92rem)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--selection)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--soft)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 .8em 0 .2em", minWidth: "2.2em", cursor: "pointer" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-specialChar": { color: "var(--bad)" },
  ".breakpoints .cm-gutterElement": { cursor: "pointer", display: "flex", alignItems: "center", justifyContent: "center", width: "1.4em" },
  ".breakpoint": { width: ".75em", height: ".75em", borderRadius: "50%", background: "var(--breakpoint)", display: "block" },
  ".breakpoint.spacer": { visibility: "hidden" },
  ".breakpoint.conditional": { outline: "2px solid var(--breakpoint)", outlineOffset: "1px", width: ".5em", height: ".5em" },
  ".breakpoint.log": { borderRadius: "2px", transform: "rotate(45deg) scale(.85)" },
  ".breakpoint.off, .breakpoint.unverified": { background: "transparent", boxShadow: "inset 0 0 0 2px var(--breakpoint)" },
  ".breakpoint.off": { opacity: ".6" },
  ".breakpoints .cm-gutterElement:hover:empty::before": {
    content: '""', width: ".75em", height: ".75em", borderRadius: "50%", background: "var(--breakpoint)", opacity: ".3",
  },
  ".execution": { backgroundColor: "var(--current)", boxShadow: "inset 4px 0 var(--current-edge)" },
  ".execution.past": { backgroundColor: "var(--past)", boxShadow: "inset 4px 0 var(--past-edge)" },
  ".execution.caller": { backgroundColor: "var(--accent-soft)", boxShadow: "inset 4px 0 var(--accent)" },
  ".execution.error": { backgroundColor: "var(--bad-soft)", boxShadow: "inset 4px 0 var(--bad)" },
  ".present .statement": { backgroundColor: "var(--spot)" },
  ".part": { backgroundColor: "var(--part)", boxShadow: "0 2px 0 var(--part-edge)" },
  ".beside": { marginLeft: "1.8em", fontStyle: "italic", color: "var(--soft)", whiteSpace: "pre" },
  ".beside.error": { color: "var(--bad)" },
  ".cm-lintRange-error, .cm-lintRange-warning": {
    backgroundImage: "none", paddingBottom: "0", textDecoration: "underline wavy var(--bad)", textDecorationSkipInk: "none", textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": { textDecorationColor: "var(--current-edge)" },
  ".cm-lintRange-active": { backgroundColor: "transparent" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: ".5rem", boxShadow: "0 4px 14px rgb(0 0 0 / .2)", maxWidth: "min(40rem, 90vw)", overflow: "hidden" },
  ".cm-diagnostic": { padding: ".4rem .7rem", borderLeft: "4px solid var(--bad)", whiteSpace: "pre-wrap", fontFamily: "var(--sans)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--current-edge)" },
  ".cm-diagnosticAction": { backgroundColor: "transparent", color: "var(--accent)", border: "1px solid var(--line)", margin: ".3rem 0 0", padding: ".1rem .5rem", font: "inherit", cursor: "pointer" },
  ".problem-help": { color: "var(--soft)" },
  ".hovered": { fontFamily: "var(--mono)", fontSize: ".88rem", padding: ".3rem .6rem", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".hovered small": { color: "var(--soft)", marginLeft: ".8em" },
  ".cm-panels": { backgroundColor: "var(--page)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panels .cm-textfield, .cm-panels .cm-button": { backgroundColor: "var(--panel)", backgroundImage: "none", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-searchMatch": { backgroundColor: "var(--spot)" },
  // On paper, lines are broken. Their numbers go with them; the gutter's would be where they are on the screen.
  "@media print": {
    "&": { height: "auto", fontSize: "9pt" },
    ".cm-scroller": { overflow: "visible" },
    ".cm-gutters, .cm-cursorLayer, .cm-selectionLayer, .cm-panels, .cm-tooltip": { display: "none !important" },
    ".cm-content": { counterReset: "line", whiteSpace: "break-spaces", overflowWrap: "anywhere", flexShrink: "1", minWidth: "0" },
    ".cm-line": { counterIncrement: "line", position: "relative", paddingLeft: "4em" },
    ".cm-line::before": { content: "counter(line)", position: "absolute", left: "0", width: "3em", textAlign: "right", color: "var(--soft)" },
  },
});

export const appearance = [theme, syntaxHighlighting(colors)];
