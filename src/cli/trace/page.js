"use strict";
(() => {
  const trace = JSON.parse(document.getElementById("trace").textContent);
  const find = (id) => document.getElementById(id);
  const total = trace.steps.length;
  const KEPT = 50;
  const kept = new Map();
  let now = 0;
  let timer = null;

  /** An element with a class, and texts or elements in it. Texts are never read as HTML. */
  function make(tag, name, ...inside) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...inside);
    return element;
  }

  /** The state after the step before, changed as a step says. */
  function apply(state, step) {
    const frames = state.frames.slice(0, step.keep).concat(step.frames || []);
    const heap = new Map(state.heap);
    for (const number of step.gone || []) heap.delete(number);
    for (const index of step.set || []) heap.set(trace.objects[index].id, trace.objects[index]);
    return { frames, heap, globals: step.globals || state.globals };
  }

  /** What there is at a step. */
  function stateAt(number) {
    let from = number - (number % KEPT);
    while (from > 0 && !kept.has(from)) from -= KEPT;
    let state = from > 0 ? kept.get(from) : { frames: [], heap: new Map(), globals: [] };
    for (let step = from > 0 ? from + 1 : 0; step <= number; step++) {
      state = apply(state, trace.steps[step]);
      if (step > 0 && step % KEPT === 0) kept.set(step, state);
    }
    return state;
  }

  const isObject = (cell) => Array.isArray(cell);
  const sameCell = (a, b) => (isObject(a) && isObject(b) ? a[0] === b[0] : a === b);

  /** What an object is called: "array 3". */
  function title(object) {
    return `${object.name || object.kind} #${object.id}`;
  }

  function cellText(cell, state) {
    if (typeof cell === "number") return String(cell);
    if (!isObject(cell)) return cell.slice(1);
    const object = state.heap.get(cell[0]);
    return object ? title(object) : `object #${cell[0]}`;
  }

  function cellElement(cell, state) {
    if (typeof cell === "number") return make("span", "n", String(cell));
    if (!isObject(cell)) return make("span", cell[0], cell.slice(1));
    const object = state.heap.get(cell[0]);
    if (!object) return make("span", "none", `object #${cell[0]}, not shown`);
    const link = make("a", "ref", title(object));
    link.href = `#object-${object.id}`;
    link.dataset.to = object.id;
    return link;
  }

  /** Whether something is new or has another value than before; "" if neither. */
  function change(before, cell) {
    if (before === undefined) return "new";
    return sameCell(before, cell) ? "" : "changed";
  }

  const cellsOf = (scope) => new Map((scope ? trace.scopes[scope] : []).map(([name, cell]) => [name, cell]));
  const partsOf = (object) => (object ? (object.parts || []).map((part, at) => (object.keys ? [object.keys[at], part] : [`[${at + (object.start || 0)}]`, part])) : []);

  /** How the parts of an object have changed: a function of the place and name of a part. */
  function changeOfParts(before, object) {
    if (!before || before === object) return () => "";
    const old = new Map(partsOf(before));
    // Of parts that were not shown before, it is only known which was changed last.
    const moved = (object.start || 0) !== (before.start || 0) || object.last !== undefined;
    return (at, name, cell) => {
      if (old.has(name) || !moved) return change(old.get(name), cell);
      const place = at + (object.start || 0);
      return place === object.last ? (place < before.total ? "changed" : "new") : "";
    };
  }

  /** All that is new or has changed: rows of kind, text and place. */
  function changes(state, previous) {
    const found = [];
    const note = (kind, name, cell) => found.push({ kind, text: `${name} = ${cellText(cell, state)}` });
    const scopes = (before, scope) => {
      const old = cellsOf(before);
      for (const [name, cell] of trace.scopes[scope]) {
        const kind = change(old.get(name), cell);
        if (kind) note(kind, name, cell);
      }
    };
    const last = state.frames.length - 1;
    state.frames.forEach((frame, at) => {
      const before = sameFrame(previous.frames[at], frame) ? previous.frames[at][3] : 0;
      if (before !== frame[3] && (before || at === last)) scopes(before, frame[3]);
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
        if (kind) note(kind, title(object) + part, cell);
      }
    }
    return found;
  }

  const sameFrame = (a, b) => a !== undefined && a[0] === b[0] && a[1] === b[1];

  function table(rows, state, kindOf) {
    const body = make("tbody");
    for (const [at, [name, cell, type]] of rows.entries()) {
      const kind = kindOf(at, name, cell);
      const head = make("th", "", name);
      head.scope = "row";
      if (type) head.title = type;
      const row = make("tr", kind, head, make("td", "", cellElement(cell, state)));
      if (kind) row.lastChild.append(make("span", "spoken", ` (${kind})`));
      body.append(row);
    }
    const whole = make("table", "");
    whole.append(body);
    return whole;
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
      box.append(rows.length ? table(rows, state, kindOf) : make("p", "none", "no variables yet"));
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
      const before = sameFrame(previous.frames[at], frame) ? previous.frames[at][3] : 0;
      add(make("h3", "", name, where), scope, before, current, false);
      if (at === 0 && hidden) boxes.push(make("p", "more", `… ${hidden.toLocaleString("en")} more calls …`));
    });
    panel.replaceChildren(panel.firstElementChild, ...boxes);
  }

  /** The objects in columns: each is to the right of what leads to it, as far as there are no rings. */
  function levels(state) {
    const level = new Map();
    const path = new Set();
    const visit = (cell, depth) => {
      if (!isObject(cell) || path.has(cell[0]) || (level.get(cell[0]) ?? -1) >= depth) return;
      const object = state.heap.get(cell[0]);
      if (!object) return;
      level.set(object.id, depth);
      path.add(object.id);
      for (const part of object.parts) visit(part, depth + 1);
      path.delete(object.id);
    };
    for (const [, scope] of state.globals) trace.scopes[scope].forEach(([, cell]) => visit(cell, 0));
    for (const frame of state.frames) trace.scopes[frame[3]].forEach(([, cell]) => visit(cell, 0));
    const returned = trace.steps[now].returned;
    if (returned) visit(returned[1], 0);
    const columns = [];
    for (const [id, depth] of level) (columns[depth] ||= []).push(state.heap.get(id));
    return columns.filter(Boolean);
  }

  function objectBox(object, state, before) {
    const count = object.kind === "struct" ? "" : `, ${object.total} ${object.kind === "map" ? (object.total === 1 ? "entry" : "entries") : object.total === 1 ? "element" : "elements"}`;
    const box = make("div", "object", make("h3", "", title(object), make("small", "", ` ${object.type && object.type !== object.name ? object.type : ""}${count}`)));
    box.id = `object-${object.id}`;
    box.tabIndex = -1;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", title(object) + count);
    const isNew = !before && now > 0;
    if (isNew) box.classList.add("new");
    else if (before && before !== object) box.classList.add("changed");
    const parts = partsOf(object);
    const kindOf = changeOfParts(before, object);
    const start = object.start || 0;
    const left = (count) => `${count.toLocaleString("en")} more, not shown`;
    if (start > 0) box.append(make("p", "more", `${left(start)} …`));
    if (object.keys) {
      if (parts.length) box.append(table(parts, state, kindOf));
      else box.append(make("p", "none", "empty"));
    } else if (parts.length) {
      const list = make("ul", "cells");
      parts.forEach(([name, cell], at) => {
        const kind = kindOf(at, name, cell);
        const value = cellElement(cell, state);
        const object = isObject(cell) && state.heap.get(cell[0]);
        if (object) {
          value.textContent = `#${object.id}`;
          value.setAttribute("aria-label", title(object));
        }
        const item = make("li", kind, make("span", "index", String(at + start)), make("span", "value", value));
        if (kind) item.append(make("span", "spoken", ` (${kind})`));
        list.append(item);
      });
      box.append(list);
    } else {
      box.append(make("p", "none", "empty"));
    }
    const more = object.total - parts.length - start;
    if (more > 0) box.append(make("p", "more", `… and ${left(more)}`));
    return box;
  }

  function showObjects(state, previous) {
    const panel = find("heap");
    const rows = levels(state);
    const grid = make("div", "");
    grid.id = "levels";
    for (const level of rows) {
      const column = make("div", "level");
      for (const object of level) column.append(objectBox(object, state, previous.heap.get(object.id)));
      grid.append(column);
    }
    const inside = rows.length ? [grid] : [make("p", "none", "no arrays, maps or structs")];
    if (trace.steps[now].more) inside.push(make("p", "more", "Some objects are left out."));
    panel.replaceChildren(panel.firstElementChild, ...inside);
  }

  function drawArrows() {
    const state = find("state");
    const svg = find("arrows");
    svg.querySelectorAll("path.arrow").forEach((path) => path.remove());
    svg.setAttribute("width", "1");
    svg.setAttribute("height", "1");
    const origin = state.getBoundingClientRect();
    const [left, top] = [origin.left - state.scrollLeft + state.clientLeft, origin.top - state.scrollTop + state.clientTop];
    for (const link of state.querySelectorAll("a.ref")) {
      const box = find(`object-${link.dataset.to}`);
      if (!box) continue;
      const from = link.getBoundingClientRect();
      const to = box.getBoundingClientRect();
      // Out of an array's cell below it, so that the line does not strike out its neighbours.
      const down = link.closest(".cells") ? 34 : 0;
      const [x1, y1] = down
        ? [(from.left + from.right) / 2 - left, from.bottom - top + 1]
        : [from.right - left, (from.top + from.bottom) / 2 - top];
      const [x2, y2] = [to.left - left - 1, to.top - top + 13];
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const bend = x2 > x1 ? Math.max(18, (x2 - x1) / 2) : 60;
      path.setAttribute("d", `M${x1} ${y1}C${x1 + (down ? 8 : bend)} ${y1 + down} ${x2 - bend} ${y2} ${x2} ${y2}`);
      path.setAttribute("class", "arrow");
      path.setAttribute("marker-end", "url(#tip)");
      path.dataset.to = link.dataset.to;
      svg.append(path);
    }
  }

  function light(number) {
    for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
    if (number === undefined) return;
    find(`object-${number}`)?.classList.add("lit");
    for (const path of document.querySelectorAll(`path.arrow[data-to="${number}"]`)) path.classList.add("lit");
  }

  const listings = new Map();
  const visited = new Map();

  /** The text of a file as a list of lines. */
  function listing(file) {
    if (listings.has(file)) return listings.get(file);
    const list = make("ol", "");
    const ran = visited.get(file) || new Set();
    trace.files[file].text.replace(/\n$/, "").split(/\r\n|\n/).forEach((text, at) => {
      const number = make("button", "number", String(at + 1));
      number.type = "button";
      number.tabIndex = -1;
      number.dataset.line = at + 1;
      const line = make("li", ran.has(at + 1) ? "ran" : "", number, make("code", "", text || " "));
      if (!ran.has(at + 1)) number.disabled = true;
      list.append(line);
    });
    listings.set(file, list);
    return list;
  }

  let marked = null;

  function showSource() {
    const [file, line, column, endLine, endColumn] = trace.steps[now].at;
    const list = listing(file);
    const panel = find("code");
    if (panel.firstChild !== list) panel.replaceChildren(list);
    find("source-title").textContent = trace.files[file].name;
    if (marked) {
      marked.item.className = "ran";
      marked.item.removeAttribute("aria-current");
      marked.item.lastChild.replaceChildren(marked.text);
    }
    const item = list.children[line - 1];
    if (!item) return;
    const text = item.lastChild.textContent;
    marked = { item, text };
    item.classList.add("current");
    item.setAttribute("aria-current", "step");
    // Columns count code points.
    const letters = Array.from(text);
    const end = endLine === line ? endColumn - 1 : letters.length;
    const cut = (from, to) => letters.slice(from, to).join("");
    item.lastChild.replaceChildren(cut(0, column - 1), make("mark", "", cut(column - 1, end)), cut(end));
    const [top, height] = [item.offsetTop - list.offsetTop, panel.clientHeight];
    if (top < panel.scrollTop + 40 || top > panel.scrollTop + height - 80) panel.scrollTop = top - height / 3;
  }

  function showOutput() {
    const pieces = [];
    for (let step = 0; step <= now; step++) {
      for (const [stream, text] of trace.steps[step].out || []) {
        const name = `${stream ? "error" : ""}${step === now ? " fresh" : ""}`.trim();
        const last = pieces[pieces.length - 1];
        if (last && last.className === name) last.append(text);
        else pieces.push(make("span", name, text));
      }
    }
    if (now === total - 1 && trace.end.output) pieces.push(...trace.end.output.map(([stream, text]) => make("span", stream ? "error" : "", text)));
    const output = find("output");
    output.replaceChildren(...(pieces.length ? pieces : [make("span", "none", "nothing yet")]));
    output.scrollTop = output.scrollHeight;
  }

  const sentences = (text) => (/[.!?]$/.test(text) ? text : text + ".");

  function showHappened(found, state) {
    const step = trace.steps[now];
    const bar = find("happened");
    const isLast = now === total - 1;
    let text = sentences(step.text);
    if (step.returned) text = `${step.returned[0]} returned ${cellText(step.returned[1], state)}.`;
    if (step.error) text = `${step.error.code ? step.error.code + ": " : ""}${sentences(step.error.message)}`;
    const inside = [make("span", "sentence", text)];
    if (step.error?.help) inside.push(make("span", "help", `Help: ${step.error.help}`));
    if (isLast) inside.push(make("span", "sentence", trace.end.text));
    for (const { kind, text } of found.slice(0, 12)) inside.push(make("span", `chip ${kind}`, `${kind === "new" ? "+" : "~"} ${text}`));
    if (found.length > 12) inside.push(make("span", "chip", `and ${found.length - 12} more`));
    bar.className = step.error ? "bad" : "";
    bar.replaceChildren(...inside);
    const printed = (step.out || []).map(([, text]) => text).join("").trim();
    const spoken = [`Step ${now + 1} of ${total}, line ${step.at[1]}.`, text];
    if (isLast) spoken.push(trace.end.text);
    if (found.length) spoken.push("Changes: " + found.slice(0, 6).map((one) => one.text).join(", ") + ".");
    if (printed) spoken.push("Printed: " + printed.slice(0, 200));
    find("live").textContent = spoken.join(" ");
  }

  /** Scrolls the variables and objects so that the first change, or else the active call, is in sight. */
  function reveal() {
    const panel = find("state");
    const wanted = panel.querySelector(".current tr.new, .current tr.changed, #heap .changed tr.new, #heap tr.changed, #heap li.new, #heap li.changed") || panel.querySelector(".frame.current");
    if (!wanted) return;
    const [inner, outer] = [wanted.getBoundingClientRect(), panel.getBoundingClientRect()];
    const shift = (from, to, min, max) => (from < min ? from - min - 40 : to > max ? Math.min(to - max + 40, from - min) : 0);
    panel.scrollTop += shift(inner.top, inner.bottom, outer.top, outer.bottom);
    panel.scrollLeft += shift(inner.left, inner.right, outer.left, outer.right);
  }

  function show(number) {
    now = Math.max(0, Math.min(total - 1, number));
    const state = stateAt(now);
    const previous = now > 0 ? stateAt(now - 1) : { frames: [], heap: new Map(), globals: state.globals };
    showSource();
    showFrames(state, previous);
    showObjects(state, previous);
    showOutput();
    showHappened(changes(state, previous), state);
    const slider = find("slider");
    slider.value = now + 1;
    slider.setAttribute("aria-valuetext", `Step ${now + 1} of ${total}, line ${trace.steps[now].at[1]}`);
    find("count").textContent = `Step ${(now + 1).toLocaleString("en")} of ${total.toLocaleString("en")}`;
    find("first").disabled = find("back").disabled = now === 0;
    find("last").disabled = find("next").disabled = now === total - 1;
    reveal();
    drawArrows();
    try { history.replaceState(null, "", `#${now + 1}`); } catch { /* Some viewers have no history. */ }
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
    if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    // The space bar presses the button that has the focus.
    if (event.key === " " && event.target.closest("button, a")) return;
    event.preventDefault();
    if (event.key !== " ") play(false);
    keys[event.key]();
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
    const lit = (event) => light(event.target.closest?.("a.ref")?.dataset.to);
    state.addEventListener("mouseover", lit);
    state.addEventListener("focusin", lit);
    state.addEventListener("click", (event) => {
      const link = event.target.closest("a.ref");
      if (!link) return;
      event.preventDefault();
      const box = find(`object-${link.dataset.to}`);
      box?.focus({ preventScroll: true });
      box?.scrollIntoView({ block: "nearest", inline: "nearest" });
      light(link.dataset.to);
    });
    addEventListener("resize", drawArrows);
    const fromAddress = () => show((Number.parseInt(location.hash.slice(1), 10) || 1) - 1);
    addEventListener("hashchange", () => { play(false); fromAddress(); });
    fromAddress();
  }

  begin();
})();
