(() => {
  const trace = JSON.parse(document.getElementById("trace").textContent);
  // Characters that would change the order in which a line is read, or hide something, are seen, as in a terminal. Each
  // is replaced by one of the same length, since columns count.
  for (const file of trace.files) {
    for (const key of ["name", "text"]) {
      file[key] = file[key].replace(/[\u0080-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g, "\ufffd");
    }
  }
  const find = (id) => document.getElementById(id);
  const total = trace.steps.length;
  /** The number of each stop's step in the history. */
  const numbers = [];
  for (const { n } of trace.steps) numbers.push(n ?? (numbers.at(-1) ?? 0) + 1);
  const KEPT = 50;
  const kept = new Map();
  let now = 0;
  /** The part of the step's statements that is shown, from 1; 0 for none. */
  let part = 0;
  let timer = null;

  /** The state after the step before, changed as a step says. */
  function apply(state, step) {
    const frames = state.frames.slice(0, step.keep).concat(step.frames || []);
    const heap = new Map(state.heap);
    for (const number of step.gone || []) heap.delete(number);
    for (const index of step.set || []) heap.set(trace.objects[index].id, trace.objects[index]);
    return { frames, hidden: step.hidden || 0, heap, globals: step.globals || state.globals };
  }

  const nothing = () => ({ frames: [], hidden: 0, heap: new Map(), globals: [] });

  /** What there is at a step. */
  function stateAt(number) {
    let from = number - (number % KEPT);
    while (from > 0 && !kept.has(from)) from -= KEPT;
    let state = from > 0 ? kept.get(from) : nothing();
    for (let step = from > 0 ? from + 1 : 0; step <= number; step++) {
      state = apply(state, trace.steps[step]);
      if (step > 0 && step % KEPT === 0) kept.set(step, state);
    }
    return state;
  }

  const cellsOf = (scope) => new Map((scope ? trace.scopes[scope] : []).map(([name, cell]) => [name, cell]));
  /** All that is new or has changed: rows of kind, text and place. */
  function changes(state, previous) {
    const found = [];
    const note = (kind, name, cell) => found.push({ kind, text: `${name} = ${cellText(cell, state.heap)}` });
    const scopes = (before, scope) => {
      const old = cellsOf(before);
      for (const [name, cell] of trace.scopes[scope]) {
        const kind = change(old.get(name), cell);
        if (kind) note(kind, name, cell);
      }
    };
    const last = state.frames.length - 1;
    state.frames.forEach((frame, at) => {
      const { scope: before, isKnown } = scopeBefore(previous, state, at);
      if (isKnown && before !== frame[3] && (before || at === last)) scopes(before, frame[3]);
    });
    for (const [file, scope] of state.globals) {
      const before = previous.globals.find((other) => other[0] === file);
      if (before && before[1] !== scope) scopes(before[1], scope);
    }
    for (const [id, object] of state.heap) {
      const before = previous.heap.get(id);
      if (!before || before === object) continue;
      const kindOf = changeOfParts(before, object);
      for (const [at, [name, cell]] of partsOf(object).entries()) {
        const kind = kindOf(at, name, cell);
        const part = object.keys && object.kind === "struct" ? `.${name}` : object.keys ? `[${name}]` : name;
        if (kind) note(kind, titleOf(object) + part, cell);
      }
    }
    return found;
  }

  const sameFrame = (a, b) => a !== undefined && a[0] === b[0] && a[1] === b[1];

  /** The variables that a call had at the step before, 0 if it is new. Calls after the first may be left out of a
   *  step, other ones at each: then it is not known. */
  function scopeBefore(previous, state, at) {
    const depth = at && at + state.hidden;
    const isKnown = !depth || depth > previous.hidden;
    const frame = isKnown ? previous.frames[depth && depth - previous.hidden] : undefined;
    return { scope: sameFrame(frame, state.frames[at]) ? frame[3] : 0, isKnown };
  }

  function showFrames(state, previous) {
    const panel = find("frames");
    const boxes = [];
    const add = (heading, scope, before, current, isFirst) => {
      const rows = trace.scopes[scope];
      const box = make("div", current ? "frame current" : "frame", heading);
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", heading.textContent);
      const old = cellsOf(before);
      const kindOf = (at, name, cell) => (isFirst ? "" : change(old.get(name), cell));
      box.append(rows.length ? table(rows, state.heap, kindOf) : make("p", "none", "no variables yet"));
      boxes.push(box);
    };
    for (const [file, scope] of state.globals) {
      const before = previous.globals.find((other) => other[0] === file);
      const name = trace.files.length > 1 ? make("small", "", ` ${trace.files[file].name}`) : "";
      add(make("h3", "", "global variables", name), scope, before && before[1], false, !before);
    }
    const hidden = trace.steps[now].hidden || 0;
    state.frames.forEach((frame, at) => {
      const [name, file, line, scope] = frame;
      const current = at === state.frames.length - 1;
      const where = make("small", "", ` line ${line}${trace.files.length > 1 ? " of " + trace.files[file].name : ""}`);
      const before = scopeBefore(previous, state, at);
      add(make("h3", "", name, where), scope, before.scope, current, !before.isKnown);
      if (at === 0 && hidden) boxes.push(make("p", "more", `… ${hidden.toLocaleString("en")} more calls …`));
    });
    const gone = returning(state, previous);
    if (gone) boxes.push(gone);
    panel.replaceChildren(panel.firstElementChild, ...boxes);
  }

  /** The frame that has just returned, with its result. */
  function returning(state, previous) {
    const { returned, text } = trace.steps[now];
    const name = returned ? returned[0] : /^Returned from (.*)$/.exec(text)?.[1];
    if (name === undefined) return null;
    const last = previous.frames[previous.frames.length - 1];
    const rows = last && last[0] === name ? trace.scopes[last[3]] : [];
    const heading = make("h3", "", name, make("small", "", " has returned"));
    const box = make("div", "frame left", heading);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", heading.textContent);
    const known = (cell) => !isObject(cell) || state.heap.has(cell[0]);
    const all = rows.filter(([, cell]) => known(cell)).map(([name, cell, type]) => [name, cell, type]);
    if (returned) all.push(["result", returned[1], ""]);
    if (all.length) box.append(table(all, state.heap, () => ""));
    else box.append(make("p", "none", "no result"));
    if (returned) box.querySelector("tr:last-child").classList.add("returned");
    return box;
  }

  /** The values of all variables, and what has just been returned. */
  function roots(state) {
    const scopes = [...state.globals.map(([, scope]) => scope), ...state.frames.map((frame) => frame[3])];
    const { returned } = trace.steps[now];
    return [...scopes.flatMap((scope) => trace.scopes[scope].map(([, cell]) => cell)), ...(returned ? [returned[1]] : [])];
  }

  function showObjects(state, previous) {
    const panel = find("heap");
    const rows = levels(roots(state), state.heap);
    const grid = make("div", "levels");
    for (const level of rows) {
      const column = make("div", "level");
      for (const object of level) column.append(objectBox(object, state.heap, previous.heap.get(object.id), now === 0));
      grid.append(column);
    }
    const inside = rows.length ? [grid] : [make("p", "none", "no arrays, maps or structs")];
    if (trace.steps[now].more) inside.push(make("p", "more", "Some objects are left out."));
    panel.replaceChildren(panel.firstElementChild, ...inside);
  }

  const listings = new Map();
  const visited = new Map();

  const sources = new Map();

  /** The lines of a file: where each begins and ends, and the coloured pieces of the text. */
  function source(file) {
    if (sources.has(file)) return sources.get(file);
    const { text, colors } = trace.files[file];
    const lines = [];
    for (let at = 0; at < text.length || !lines.length;) {
      const end = text.indexOf("\n", at);
      const next = end < 0 ? text.length : end;
      lines.push([at, text[next - 1] === "\r" && next > at ? next - 1 : next]);
      at = next + 1;
    }
    const pieces = [];
    let at = 0;
    for (const [, kind, length, gap] of colors.matchAll(/([a-z])(\d+)(?:,(\d+))?/g)) {
      at += Number(gap || 0);
      pieces.push([at, at += Number(length), kind]);
    }
    const known = { text, lines, pieces };
    sources.set(file, known);
    return known;
  }

  /** The number of the first item for which a test holds. */
  function search(items, test) {
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(items[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** A line of source as elements; `marks` are ranges with a class. */
  function colored(file, line, marks) {
    const { text, lines, pieces } = source(file);
    const [begin, end] = lines[line];
    const within = [];
    for (let at = search(pieces, (piece) => piece[1] > begin); at < pieces.length && pieces[at][0] < end; at++) within.push(pieces[at]);
    const inside = marks.filter((mark) => mark.start < end && mark.end > begin);
    const cuts = [begin, end, ...within.flat(), ...inside.flatMap((mark) => [mark.start, mark.end])];
    const places = [...new Set(cuts)].filter((at) => typeof at === "number" && at >= begin && at <= end).sort((a, b) => a - b);
    const parts = [];
    for (let at = 0; at + 1 < places.length; at++) {
      const [from, to] = [places[at], places[at + 1]];
      const kind = within.find((piece) => piece[0] <= from && to <= piece[1]);
      const around = inside.filter((mark) => mark.start <= from && to <= mark.end);
      const name = [...(kind ? ["k" + kind[2]] : []), ...around.map((mark) => mark.name)].join(" ").trim();
      const element = make(around.length ? "mark" : "span", name, text.slice(from, to));
      const valued = around.find((mark) => mark.value !== undefined && from === Math.max(mark.start, begin) && mark.start >= begin);
      if (valued) element.dataset.value = valued.value;
      parts.push(element);
    }
    return parts.length ? parts : [" "];
  }

  /** The text of a file as a list of lines. */
  function listing(file) {
    if (listings.has(file)) return listings.get(file);
    const list = make("ol", "");
    const ran = visited.get(file) || new Set();
    source(file).lines.forEach((_, at) => {
      const number = make("button", "number", String(at + 1));
      number.type = "button";
      number.tabIndex = -1;
      number.dataset.line = at + 1;
      const line = make("li", ran.has(at + 1) ? "ran" : "", number, make("code", "", ...colored(file, at, [])));
      if (!ran.has(at + 1)) number.disabled = true;
      list.append(line);
    });
    listings.set(file, list);
    return list;
  }

  /** The offset of a line and column, which counts code points. */
  function offset(file, line, column) {
    const { text, lines } = source(file);
    const [begin, end] = lines[Math.min(line, lines.length) - 1];
    return begin + Array.from(text.slice(begin, end)).slice(0, column - 1).join("").length;
  }

  /** The lines with marks: of which file, and which. */
  let marked = { file: 0, lines: [] };
  let current = null;
  /** Scrolls the source to what it shows. */
  let scrolled = () => {};

  function showSource() {
    scrolled = () => {};
    const [file, line, column, endLine, endColumn] = trace.steps[now].at;
    const marks = [{ start: offset(file, line, column), end: offset(file, endLine, endColumn), name: "" }];
    const chosen = partsAt(now)[part - 1];
    const wanted = chosen ? chosen.how.form[0] : file;
    if (chosen) marks.push({ start: chosen.start, end: chosen.end, name: "part", value: floating(chosen) });
    const list = listing(wanted);
    const panel = find("code");
    if (panel.firstChild !== list) panel.replaceChildren(list);
    find("source-title").textContent = trace.files[wanted].name;
    for (const at of marked.lines) listing(marked.file).children[at].lastChild.replaceChildren(...colored(marked.file, at, []));
    if (current) {
      current.className = "ran";
      current.removeAttribute("aria-current");
    }
    const { lines } = source(wanted);
    const there = wanted === file ? marks : marks.slice(1);
    marked = { file: wanted, lines: [] };
    lines.forEach(([begin, end], at) => {
      if (there.some((mark) => mark.start < end && mark.end > begin)) marked.lines.push(at);
    });
    for (const at of marked.lines) list.children[at].lastChild.replaceChildren(...colored(wanted, at, there));
    current = wanted === file ? list.children[line - 1] : list.children[marked.lines[0]];
    if (!current) return;
    current.classList.add("current");
    current.setAttribute("aria-current", "step");
    const shown = current;
    scrolled = () => follow(panel, panel.querySelector("mark.part") || shown.querySelector("mark") || shown, shown);
  }

  /** Scrolls the source so that the line, and what is marked in it, are in sight. */
  function follow(panel, mark, item) {
    const outer = panel.getBoundingClientRect();
    const line = (mark.closest("li") || item).getBoundingClientRect();
    if (line.top < outer.top + 40 || line.bottom > outer.bottom - 40) panel.scrollTop += line.top - outer.top - outer.height / 3;
    const inner = mark.getBoundingClientRect();
    if (inner.right > outer.right - 20 || inner.left < outer.left + 60) panel.scrollLeft += inner.left - outer.left - Math.min(outer.width / 3, 120);
    if (panel.scrollLeft < 80 && inner.right + panel.scrollLeft < outer.right - 20) panel.scrollLeft = 0;
  }

  /** The output in pieces: the stream, the text, the step that printed it, and the first one that shows it. */
  const printed = [];
  let printedShown = 0;

  function collectOutput() {
    const add = (shows, by, out) => (out || []).forEach(([stream, text]) => {
      for (const line of text.split(/(?<=\n)/)) printed.push({ stream, text: line, shows, by });
    });
    trace.steps.forEach((step, at) => add(at, Math.max(at - 1, 0), step.out));
    add(total - 1, total - 1, trace.end.output);
  }

  /** What the program is expected to print, beside what it has printed, with the first line that differs marked. */
  function showExpected() {
    if (!trace.expected) return;
    const { text, difference } = trace.expected;
    find("wanted").hidden = false;
    text.split(/(?<=\n)/).forEach((line, at) => {
      find("expected").append(make(at + 1 === difference?.line ? "mark" : "span", "", line));
    });
    if (!difference) return;
    find("different").hidden = false;
    find("different").textContent = `Line ${difference.line} differs:\n${difference.lines}`;
  }

  function outputLink({ stream, text, by }) {
    const line = text.replace(/\n$/, "");
    const link = make("a", stream ? "error" : "", line);
    link.href = `#${by + 1}`;
    link.tabIndex = -1;
    link.title = `Printed by step ${(by + 1).toLocaleString("en")}, line ${trace.steps[by].at[1]}`;
    return make("span", "", link, text.slice(line.length));
  }

  function showOutput() {
    const output = find("output");
    const count = search(printed, (piece) => piece.shows > now);
    if (!count || !printedShown) output.replaceChildren();
    for (; printedShown > count; printedShown--) output.lastChild?.remove();
    for (; printedShown < count; printedShown++) output.append(outputLink(printed[printedShown]));
    if (!count) output.append(make("span", "none", "nothing yet"));
    output.querySelectorAll(".fresh").forEach((piece) => piece.classList.remove("fresh"));
    for (let at = count - 1; at >= 0 && printed[at].shows === now && trace.steps[now].out; at--) output.children[at].firstChild.classList.add("fresh");
    output.scrollTop = output.scrollHeight;
  }

  /** A value as text. */
  const plain = (cell) => (typeof cell === "number" ? String(cell) : cell.slice(1));
  const value = (number) => (number < 0 ? undefined : trace.values[number]);
  const knownParts = new Map();

  /** What was computed from a step on to the next one: the parts of its statements in their order. */
  function partsAt(number) {
    if (knownParts.has(number)) return knownParts.get(number);
    const all = [];
    for (const [form, ...numbers] of trace.steps[number].how || []) {
      const how = { form: trace.forms[form], parts: [] };
      let at = 0;
      how.form[3].forEach(([kind, start, end]) => {
        const one = { how, kind, start, end, cell: value(numbers[at++]) };
        if (kind === "entered") one.step = numbers[at++];
        if (kind === "write") one.old = value(numbers[at++]);
        how.parts.push(one);
        all.push(one);
      });
    }
    if (knownParts.size > 1000) knownParts.clear();
    knownParts.set(number, all);
    return all;
  }

  /** Whether a part is the comparison with a case of a `when`, which comes after its head. */
  const isCase = (one) => one.kind === "operator" && one.start >= one.how.form[1][1];
  const fits = (one) => (plain(one.cell) === "true" ? "fits" : "does not fit");

  /** What floats over a part. */
  function floating(one) {
    if (isCase(one)) return fits(one);
    if (one.kind === "skipped") return "not computed";
    if (one.kind === "error") return "error";
    if (one.kind === "write" && one.old !== undefined) return shorten(`${plain(one.old)} → ${one.cell === undefined ? "" : plain(one.cell)}`, 60);
    return one.cell === undefined ? "done" : shorten(plain(one.cell), 60);
  }

  /** Source text on one line. */
  const oneLine = (text) => text.split(/\r?\n/).map((line, at) => (at ? " " + line.trimStart() : line)).reduce((all, line) => all.trimEnd() + line);
  const sourceOf = (one) => oneLine(trace.files[one.how.form[0]].text.slice(one.start, one.end));

  /** A part in words. */
  function inWords(one) {
    const text = sourceOf(one);
    if (one.kind === "skipped") return `${text} was not computed: ${plain(one.cell)}`;
    if (one.kind === "error") return plain(one.cell);
    if (isCase(one)) return `is ${text}: ${fits(one)}`;
    if (one.kind === "write") return one.old === undefined ? `${text} becomes ${one.cell === undefined ? "?" : plain(one.cell)}` : `${text}: ${plain(one.old)} → ${one.cell === undefined ? "?" : plain(one.cell)}`;
    return one.cell === undefined ? `${text} is done` : `${text} is ${plain(one.cell)}`;
  }

  /** The characters of a text between quotes. */
  function unquoted(text) {
    const named = { n: "\n", t: "\t", r: "\r", 0: "\0" };
    return text.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|.)/g, (_, c) => (c[0] === "x" && c.length === 3 ? String.fromCharCode(parseInt(c.slice(1), 16)) : named[c] ?? c));
  }

  /** Whether a part is replaced by its value. Containers of which a part is read are not, and literals look like theirs. */
  function isRewritten({ how: { form }, kind, start, end, cell }) {
    if (cell === undefined || start === end || ["skipped", "write", "error", "literal"].includes(kind)) return false;
    const [text, [first, last]] = [trace.files[form[0]].text, form[2]];
    if (start < first || end > last) return false;
    const isContainer = typeof cell === "string" && cell[0] === "o";
    const isBase = /^[.[]/.test(text.slice(end, form[1][1]));
    const isCount = start === first && end === last && /(\+\+|--)$/.test(text.slice(start, end));
    return !(isBase && isContainer) && !isCount;
  }

  /** The range of a part with the parentheses around it, or with `${` and `}` in a string; and whether it is the latter. */
  function enclosed(text, start, end, first, last) {
    for (;;) {
      const [before, after] = [text.slice(first, start), text.slice(end, last)];
      if (before.endsWith("${") && after.startsWith("}")) return [start - 2, end + 1, true];
      const [opening, closing] = [before.trimEnd(), after.trimStart()];
      if (!opening.endsWith("(") || !closing.startsWith(")") || /[\p{L}\p{N}_)\]]\($/u.test(opening)) return [start, end, false];
      start = first + opening.length - 1;
      end = last - closing.length + 1;
    }
  }

  /** The stages in which a statement's expression is rewritten into its value, up to a part: text, mark, last part. */
  function rewriting(how, upTo) {
    const text = trace.files[how.form[0]].text;
    const [first, last] = how.form[2];
    const replaced = new Map();
    const stage = (fresh, at) => {
      let [line, from, mark] = ["", first, null];
      const push = (end) => {
        const more = oneLine(text.slice(from, end));
        line = /^\s*\n/.test(text.slice(from, end)) ? line.trimEnd() + more : line + more;
      };
      for (const [start, [end, shown]] of [...replaced].sort((a, b) => a[0] - b[0])) {
        push(start);
        const begin = line.length;
        line += shown;
        if (fresh.includes(start)) mark = [mark ? mark[0] : begin, line.length];
        from = end;
      }
      push(last);
      return { text: shorten(line, 400), mark, part: at };
    };
    const stages = [stage([], -1)];
    const rewritten = how.parts.map((one, at) => [one, at]).filter(([one, at]) => at <= upTo && isRewritten(one));
    let group = [];
    rewritten.forEach(([one, at], place) => {
      const [start, end, isShown] = enclosed(text, one.start, one.end, first, last);
      const isText = isShown && typeof one.cell === "string" && one.cell[0] === "s";
      for (const [other, [after]] of replaced) if (after > start && other < end) replaced.delete(other);
      replaced.set(start, [end, shorten(isText ? unquoted(plain(one.cell)) : plain(one.cell), 30)]);
      group.push(start);
      const next = rewritten[place + 1];
      if (one.kind === "variable" && next && next[0].kind === "variable") return;
      const line = stage(group, at);
      group = [];
      if (line.text !== stages[stages.length - 1].text) stages.push(line);
    });
    if (stages.length > 40) stages.splice(36, stages.length - 39, { text: "…", mark: null, part: -1 });
    return stages;
  }

  function showHow() {
    const all = partsAt(now);
    const panel = find("lines");
    find("part-back").disabled = now === 0 && part === 0;
    find("part-next").disabled = now === total - 1 && part === all.length;
    const count = all.length === 1 ? "1 part" : `${all.length} parts`;
    find("how-count").textContent = part ? `${part} of ${all.length}` : all.length ? count : trace.steps[now].text.startsWith("Returned") ? "in progress" : numbers[now] === numbers[now - 1] ? "nothing more to compute" : "nothing to compute";
    const chosen = all[part - 1];
    if (!chosen) return panel.replaceChildren();
    const body = make("tbody");
    const shown = [...new Set(all.slice(0, part).map((one) => one.how))];
    for (const how of shown) {
      const text = trace.files[how.form[0]].text;
      const upTo = how === chosen.how ? how.parts.indexOf(chosen) : how.parts.length;
      const prefix = oneLine(text.slice(how.form[1][0], how.form[2][0])).trim();
      const stages = rewriting(how, upTo);
      stages.forEach(({ text, mark }, at) => {
        const isLast = how === chosen.how && at === stages.length - 1;
        const inside = mark && isLast ? [text.slice(0, mark[0]), make("mark", "", text.slice(...mark)), text.slice(mark[1])] : [text];
        const sign = prefix.endsWith("=") ? "=" : "→";
        const head = make("th", "", at ? sign : prefix);
        body.append(make("tr", isLast ? "now" : "", head, make("td", "", ...inside)));
      });
    }
    const whole = make("table", "");
    whole.append(body);
    const words = make("p", "", inWords(chosen));
    if (chosen.step > now) {
      const link = make("a", "", `step into it: ${numbers[chosen.step]}`);
      link.href = addressOf(chosen.step);
      words.append("  ", link);
    }
    panel.replaceChildren(whole, words);
    panel.scrollTop = panel.scrollHeight;
  }

  const sentences = (text) => (/[.!?]$/.test(text) ? text : text + ".");

  function showHappened(found, state) {
    const step = trace.steps[now];
    const bar = find("happened");
    const isLast = now === total - 1;
    let text = sentences(step.text);
    if (step.returned) text = `${step.returned[0]} returned ${cellText(step.returned[1], state.heap)}.`;
    if (step.error) text = `${step.error.code ? step.error.code + ": " : ""}${sentences(step.error.message)}`;
    const inside = [make("span", "sentence", text)];
    if (step.error?.help) inside.push(make("span", "help", `Help: ${step.error.help}`));
    if (isLast) inside.push(make("span", "sentence", trace.end.text));
    for (const { kind, text } of found.slice(0, 12)) inside.push(make("span", `chip ${kind}`, `${kind === "new" ? "+" : "~"} ${text}`));
    if (found.length > 12) inside.push(make("span", "chip", `and ${found.length - 12} more`));
    bar.className = step.error ? "bad" : "";
    bar.replaceChildren(...inside);
    const printed = (step.out || []).map(([, text]) => text).join("").trim();
    const spoken = [`${counted()}, line ${step.at[1]}.`, text];
    if (isLast) spoken.push(trace.end.text);
    if (found.length) spoken.push("Changes: " + found.slice(0, 6).map((one) => one.text).join(", ") + ".");
    if (printed) spoken.push("Printed: " + printed.slice(0, 200));
    const chosen = partsAt(now)[part - 1];
    find("live").textContent = chosen ? `Part ${part}: ${inWords(chosen)}.` : spoken.join(" ");
  }

  /** Scrolls the variables and objects so that the first change, or else the active call, is in sight. */
  function reveal() {
    const panel = find("state");
    const wanted = panel.querySelector("tr.returned") || panel.querySelector(".current tr.new, .current tr.changed, #heap .changed tr.new, #heap tr.changed, #heap li.new, #heap li.changed") || panel.querySelector(".frame.current");
    if (!wanted) return;
    const [inner, outer] = [wanted.getBoundingClientRect(), panel.getBoundingClientRect()];
    const shift = (from, to, min, max) => (from < min ? from - min - 40 : to > max ? Math.min(to - max + 40, from - min) : 0);
    panel.scrollTop += shift(inner.top, inner.bottom, outer.top, outer.bottom);
    panel.scrollLeft += shift(inner.left, inner.right, outer.left, outer.right);
  }

  /** The address of a stop: its step and, of several stops at that, which. */
  const addressOf = (index) => {
    const which = index - numbers.indexOf(numbers[index]);
    return `#${numbers[index]}${which ? "-" + (which + 1) : ""}`;
  };
  const address = () => addressOf(now) + (part ? "." + part : "");

  /** Where in the history it is, as `ez debug` counts. */
  const counted = () => {
    const isEnd = now > 0 && now === total - 1 && numbers[now] === numbers[now - 1] && !trace.steps[now].error;
    const count = (number) => number.toLocaleString("en");
    return `${isEnd ? "After step" : "Step"} ${count(numbers[now])} of ${count(numbers[total - 1])}`;
  };

  /** Shows a step, and a part of what it computes. */
  function show(number, partNumber = 0) {
    now = Math.max(0, Math.min(total - 1, number));
    part = Math.max(0, Math.min(partsAt(now).length, partNumber));
    const state = stateAt(now);
    const previous = now > 0 ? stateAt(now - 1) : { ...nothing(), globals: state.globals };
    showSource();
    showHow();
    showFrames(state, previous);
    showObjects(state, previous);
    showOutput();
    showHappened(changes(state, previous), state);
    const slider = find("slider");
    slider.value = now + 1;
    slider.setAttribute("aria-valuetext", `${counted()}, line ${trace.steps[now].at[1]}`);
    const count = find("count");
    count.textContent = counted();
    count.href = address();
    find("first").disabled = find("back").disabled = now === 0;
    find("last").disabled = find("next").disabled = now === total - 1;
    reveal();
    // The panels have their sizes now.
    scrolled();
    drawArrows(find("state"), find("arrows"), find("frames"), find("heap"));
    try { history.replaceState(null, "", address()); } catch { /* Some viewers have no history. */ }
  }

  /** One part on or back; after the last part comes the next step. */
  function walk(by) {
    if (by > 0 && part < partsAt(now).length) show(now, part + 1);
    else if (by > 0) show(Math.min(now + 1, total - 1), now === total - 1 ? part : 0);
    else if (part > 0) show(now, part - 1);
    else if (now > 0) show(now - 1, partsAt(now - 1).length);
  }

  /** What the address names: a step or the first stop after it, and perhaps a part. */
  function fromAddress() {
    const [, step, which, of] = /^#(\d+)(?:-(\d+))?(?:\.(\d+))?$/.exec(location.hash) || [];
    const different = trace.expected?.difference;
    // Where nothing more has come, the end is what to look at.
    const start = different ? different.step ?? Infinity : 1;
    const first = numbers.findIndex((number) => number >= Number(step || start));
    let index = first < 0 ? total - 1 : first;
    for (let more = Number(which || 1); more > 1 && numbers[index + 1] === numbers[index]; more--) index++;
    show(index, Number(of || 0));
  }

  function play(on) {
    clearInterval(timer);
    timer = on ? setInterval(() => (now < total - 1 ? show(now + 1) : play(false)), 700) : null;
    const button = find("play");
    button.setAttribute("aria-pressed", String(on));
    button.setAttribute("aria-label", on ? "Pause" : "Play");
  }

  const keys = {
    ArrowRight: () => show(now + 1), ArrowLeft: () => show(now - 1),
    PageDown: () => show(now + 10), PageUp: () => show(now - 10),
    Home: () => show(0), End: () => show(total - 1),
    " ": () => play(timer === null),
  };

  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.shiftKey && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      event.preventDefault();
      play(false);
      return walk(event.key === "ArrowRight" ? 1 : -1);
    }
    if (event.shiftKey || !keys[event.key]) return;
    // The space bar presses the button that has the focus.
    if (event.key === " " && event.target.closest("button, a")) return;
    event.preventDefault();
    if (event.key !== " ") play(false);
    keys[event.key]();
  }

  /** The arrows up and down go from one piece of the output to the next. */
  function amongOutput(event) {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const links = [...find("output").querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const next = event.key === "ArrowDown" ? links[at + 1] : links[at < 0 ? links.length - 1 : at - 1];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  /** Copies the address of the step. */
  async function copyAddress(event) {
    event.preventDefault();
    const count = find("count");
    try {
      await navigator.clipboard.writeText(location.href);
      count.textContent = "Link copied";
    } catch {
      // Without permission, the address bar has it.
      location.hash = address();
    }
  }

  function begin() {
    find("program").textContent = trace.program;
    find("notes").textContent = trace.notes.join(" ");
    if (!total) {
      find("happened").textContent = trace.end.text;
      return;
    }
    for (const step of trace.steps) {
      if (!visited.has(step.at[0])) visited.set(step.at[0], new Set());
      visited.get(step.at[0]).add(step.at[1]);
    }
    const slider = find("slider");
    slider.max = total;
    slider.addEventListener("input", () => { play(false); show(slider.valueAsNumber - 1); });
    const buttons = { first: () => show(0), back: () => show(now - 1), next: () => show(now + 1), last: () => show(total - 1) };
    for (const [id, action] of Object.entries(buttons)) find(id).addEventListener("click", () => { play(false); action(); });
    find("play").addEventListener("click", () => {
      if (timer === null && now === total - 1) show(0);
      play(timer === null);
    });
    document.addEventListener("keydown", pressed);
    find("code").addEventListener("click", (event) => {
      const line = Number(event.target.dataset?.line);
      if (!line) return;
      const file = trace.steps[now].at[0];
      const here = (step) => step.at[0] === file && step.at[1] === line;
      const after = trace.steps.findIndex((step, at) => at > now && here(step));
      show(after >= 0 ? after : trace.steps.findIndex(here));
    });
    const state = find("state");
    followReferences(state);
    find("part-back").addEventListener("click", () => { play(false); walk(-1); });
    find("part-next").addEventListener("click", () => { play(false); walk(1); });
    if (!trace.forms.length) find("how").className = "none";
    find("output").addEventListener("keydown", amongOutput);
    find("count").addEventListener("click", copyAddress);
    collectOutput();
    showExpected();
    addEventListener("resize", () => drawArrows(find("state"), find("arrows"), find("frames"), find("heap")));
    addEventListener("hashchange", () => { play(false); fromAddress(); });
    fromAddress();
  }

  begin();
})();
