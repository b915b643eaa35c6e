// How a new line is indented: like the one before, one more after an opening bracket, one less at a closing one.
import { indentService, indentUnit } from "@codemirror/language";

const UNIT = "    ";

export const indentation = [
  indentUnit.of(UNIT),
  indentService.of((context, at) => {
    const { text } = context.lineAt(at, 1);
    const start = context.lineAt(at, -1).from;
    const { doc } = context.state;
    let number = doc.lineAt(Math.min(start, doc.length)).number;
    // Right after a line break was typed, the line before is what is before the place.
    let before = context.simulatedBreak === at ? context.lineAt(at, -1).text : "";
    while (!before.trim() && number > 1) before = doc.line(--number).text;
    const opens = /[{([]\s*(\/\/.*)?$/.test(before) ? UNIT.length : 0;
    const closes = /^\s*[)\]}]/.test(text) ? UNIT.length : 0;
    const indent = /^\s*/.exec(before)?.[0].replace(/\t/g, UNIT).length ?? 0;
    return Math.max(0, indent + opens - closes);
  }),
];
