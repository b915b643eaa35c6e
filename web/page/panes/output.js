// What the program prints, and what there is to say about the run. As much of it is kept as can be read.
import { Emitter } from "../base/emitter.js";
import { nextFrame } from "../base/frames.js";
import { make, number } from "../../shared/elements.js";
import { hasReturn, lastBegin, shownLine } from "./returns.js";

/** How many lines are kept. */
const MOST_LINES = 4000;
/** How many characters are kept. */
const MOST_TEXT = 1 << 20;
/** How many characters of a line are kept: longer ones take long to lay out. */
const MOST_LINE = 100_000;
/** How many lines are in a piece of the list: old ones are dropped by the piece. */
const PIECE = 200;

/**
 * @typedef {"stdout" | "stderr" | "console" | "typed" | "evaluated"} Category `typed` is what the user has entered,
 *     `evaluated` what an evaluation has written, which counts as written by the program.
 * @typedef {{ category: Category, text: string, readIn?: number } | { element: HTMLElement }} Item
 * @typedef {import("../engine/debuggee.js").Stop} Stop
 */

/**
 * What is known of a line: its text, from which byte of the output on, and how many bytes it has.
 * @typedef {{ text: string, start: number, size: number, isCut: boolean }} Line
 */

/**
 * When a message came, or something was entered: after so many bytes of output, and after a step.
 * `readIn` is the step of the statement that reads it.
 * @typedef {{ written: number, after: number, readIn?: number }} Moment
 */

const encoder = new TextEncoder();
/** How many bytes a text has. Most texts are ASCII, and there are many. @param {string} text */
const size = (text) => (/^[\x00-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length);

/** Whether it is part of what the program has written. @param {Category} category */
const isPrinted = (category) => category === "stdout" || category === "stderr" || category === "evaluated";

/**
 * `printer`: the user asks who has written the byte with this number.
 * @extends {Emitter<{ printer: number }>}
 */
export class Output extends Emitter {
  /** Whether it is known who has written what. */
  canAsk = false;
  #log;
  #dropped = make("p", "dropped");
  /** @type {Item[]} */
  #items = [];
  /** @type {Promise<void> | undefined} */
  #flushing;
  /** How many bytes the program has written. */
  #written = 0;
  #lines = 0;
  #text = 0;
  #lost = 0;
  /** The line that is not finished. @type {HTMLElement | undefined} */
  #open;
  /** @type {WeakMap<Element, Line>} */
  #known = new WeakMap();
  /** Of what is no output of the program. @type {Map<Element, Moment>} */
  #moments = new Map();
  /** The step of the last stop in the present. */
  #step = 0;
  /** Whether something is shown as later than the stop. */
  #isDimmed = false;
  /** The line of which a part is shown so, and the part that is not. @type {{ line: HTMLElement, text: string } | undefined} */
  #divided;
  /** @type {Element | undefined} */
  #chosen;

  /** @param {HTMLElement} log */
  constructor(log) {
    super();
    this.#log = log;
    log.addEventListener("click", (event) => {
      if (getSelection()?.isCollapsed !== false) this.#ask(event.target);
    });
    log.addEventListener("keydown", (event) => this.#press(event));
    this.clear();
  }

  clear() {
    this.#items = [];
    [this.#written, this.#lines, this.#text, this.#lost] = [0, 0, 0, 0];
    this.#open = this.#chosen = this.#divided = undefined;
    this.#moments.clear();
    [this.#step, this.#isDimmed] = [0, false];
    this.#dropped.hidden = true;
    this.#log.replaceChildren(this.#dropped);
  }

  /** Adds text. @param {Category} category @param {string} text @param {number} [readIn] The step of the statement that reads it. */
  append(category, text, readIn) {
    this.#items.push({ category, text, readIn });
    this.shown();
  }

  /** Adds something that is said about the run. @param {HTMLElement} element */
  say(element) {
    this.#items.push({ element });
    this.shown();
  }

  /** Shows what is later than a stop as what is not there yet. @param {Stop} stop */
  async showStop(stop) {
    await this.shown();
    if (!stop.past) this.#step = stop.step;
    if (!stop.past && !this.#isDimmed) return;
    this.#isDimmed = stop.past === true;
    const written = stop.past ? stop.outputLength ?? Infinity : Infinity;
    this.#join();
    for (const line of /** @type {NodeListOf<HTMLElement>} */ (this.#log.querySelectorAll(".line"))) {
      const known = this.#known.get(line);
      if (!known || this.#moments.has(line)) continue;
      line.classList.toggle("later", known.start >= written);
      if (known.start < written && written < known.start + known.size) this.#divide(line, known, written - known.start);
    }
    for (const [element, moment] of this.#moments) element.classList.toggle("later", stop.past === true && isLater(moment, stop));
  }

  /** Shows a line as printed up to a byte. @param {HTMLElement} line @param {Line} known @param {number} bytes */
  #divide(line, { text, isCut }, bytes) {
    const { length } = new TextDecoder().decode(encoder.encode(text).subarray(0, bytes));
    const [before, after] = [text.slice(0, length), text.slice(length)];
    // What covers a part of the line has no place beside it.
    const later = hasReturn(text) ? /\n?$/.exec(text)?.[0] ?? "" : after;
    line.replaceChildren((isCut ? "…" : "") + shownLine(before), make("span", "later", shownLine(later)));
    this.#divided = { line, text: before };
  }

  /** Shows the line as a whole again of which a part was shown as later. */
  #join() {
    const { line } = this.#divided ?? {};
    const known = line && this.#known.get(line);
    if (known) show(line, known);
    this.#divided = undefined;
  }

  /** Resolves when everything so far is shown. @returns {Promise<void>} */
  shown() {
    return (this.#flushing ??= nextFrame().then(() => {
      this.#flushing = undefined;
      this.#flush();
    }));
  }

  #flush() {
    const items = joined(this.#items);
    this.#items = [];
    if (!items.length) return;
    this.#join();
    const isAtEnd = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 40;
    for (const item of items) {
      if ("element" in item) this.#addElement(item.element);
      else this.#addText(item.category, item.text, item.readIn);
    }
    this.#drop();
    if (isAtEnd) this.#log.scrollTop = this.#log.scrollHeight;
  }

  /** @param {HTMLElement} element */
  #addElement(element) {
    this.#open = undefined;
    this.#log.append(element);
    this.#lines++;
  }

  /** @param {Category} category @param {string} text @param {number} [readIn] */
  #addText(category, text, readIn) {
    const lines = text.split(/(?<=\n)/);
    const skipped = lines.length - MOST_LINES;
    if (skipped > 0) {
      // They would be dropped at once.
      const gone = lines.splice(0, skipped).join("");
      if (isPrinted(category)) this.#written += size(gone);
      this.#lost += skipped;
      this.#open = undefined;
    }
    for (const line of lines) this.#addLine(category, line, readIn);
  }

  /** @param {Category} category @param {string} text A line, or a part of one. @param {number} [readIn] */
  #addLine(category, text, readIn) {
    const open = this.#open;
    const piece = this.#pieceFor(open);
    let line = open?.classList.contains(category) ? open : undefined;
    if (!line) {
      line = make("span", `line ${category}`);
      if (category === "evaluated") line.title = "Written by what you have evaluated";
      this.#known.set(line, { text: "", start: this.#written, size: 0, isCut: false });
      if (!isPrinted(category)) this.#moments.set(line, { written: this.#written, after: this.#step, readIn });
      piece.append(line);
      if (!open) this.#lines++;
    }
    this.#extend(line, text);
    if (isPrinted(category)) this.#written += size(text);
    this.#open = text.endsWith("\n") ? undefined : line;
  }

  /** Adds text to a line; of a long one, the end is kept. @param {HTMLElement} line @param {string} text */
  #extend(line, text) {
    const known = /** @type {Line} */ (this.#known.get(line));
    const whole = known.text + text;
    known.size += size(text);
    this.#text += text.length;
    if (whole.length <= MOST_LINE) {
      known.text = whole;
      return whole.includes("\r") ? show(line, known) : line.append(shownLine(text));
    }
    const end = whole.slice(-MOST_LINE / 2);
    const isCut = !hasReturn(end);
    // Not from the middle of a character on, nor of what is covered.
    const rest = end.replace(isCut ? /^[\udc00-\udfff]/ : /^[^\r]*\r/, "");
    const left = size(rest);
    Object.assign(known, { text: rest, start: known.start + known.size - left, size: left, isCut });
    show(line, known);
    this.#text -= whole.length - rest.length;
  }

  /** @param {HTMLElement | undefined} open */
  #pieceFor(open) {
    const last = this.#log.lastElementChild;
    if (open?.parentElement) return open.parentElement;
    if (last?.classList.contains("piece") && last.childElementCount < PIECE) return last;
    const piece = make("pre", "piece");
    this.#log.append(piece);
    return piece;
  }

  /** Drops the oldest pieces. */
  #drop() {
    while (this.#lines > MOST_LINES + PIECE || this.#text > MOST_TEXT) {
      const first = /** @type {HTMLElement | null} */ (this.#dropped.nextElementSibling);
      if (!first || first === this.#log.lastElementChild) break;
      const lines = first.classList.contains("piece") ? first.childElementCount : 1;
      for (const line of first.children) this.#text -= this.#known.get(line)?.text.length ?? 0;
      this.#lines -= lines;
      this.#lost += lines;
      for (const element of this.#moments.keys()) if (first.contains(element)) this.#moments.delete(element);
      first.remove();
    }
    this.#dropped.hidden = this.#lost === 0;
    if (this.#lost) this.#dropped.textContent = `${number(this.#lost)} earlier lines are not shown.`;
  }

  /** @param {EventTarget | null} target */
  #ask(target) {
    const line = target instanceof Element ? target.closest(".line") : null;
    const known = line && !this.#moments.has(line) ? this.#known.get(line) : undefined;
    if (!this.canAsk || !known) return;
    const text = this.#divided?.line === line ? this.#divided.text : known.text;
    this.emit("printer", known.start + size(text.slice(0, lastBegin(text))));
  }

  /** The arrows up and down choose a line, Return asks about it. @param {KeyboardEvent} event */
  #press(event) {
    if (!this.canAsk || !["ArrowUp", "ArrowDown", "Enter"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Enter") return this.#ask(this.#chosen ?? null);
    const lines = [...this.#log.querySelectorAll(".stdout, .stderr, .evaluated")];
    const at = this.#chosen ? lines.indexOf(this.#chosen) : lines.length;
    const next = lines[Math.max(0, Math.min(lines.length - 1, at + (event.key === "ArrowUp" ? -1 : 1)))];
    this.#chosen?.classList.remove("chosen");
    this.#chosen = next;
    next?.classList.add("chosen");
    next?.scrollIntoView({ block: "nearest" });
  }
}

/** Shows a line as a whole. @param {HTMLElement} line @param {Line} known */
function show(line, { text, isCut }) {
  line.replaceChildren((isCut ? "…" : "") + shownLine(text));
}

/** Whether something came after a stop in the past. @param {Moment} moment @param {Stop} stop */
function isLater({ written, after, readIn }, { step, outputLength = 0 }) {
  return readIn === undefined ? step <= after || outputLength < written : step <= readIn;
}

/** Neighbours of one category as one, but for what is entered. @param {Item[]} items */
function joined(items) {
  /** @type {{ category: Category, texts: string[] } | undefined} */
  let run;
  /** @type {Item[]} */
  const all = [];
  const close = () => {
    if (run) all.push({ category: run.category, text: run.texts.join("") });
    run = undefined;
  };
  for (const item of items) {
    if ("element" in item) {
      close();
      all.push(item);
    } else if (run?.category === item.category && item.readIn === undefined) run.texts.push(item.text);
    else if (item.readIn !== undefined) {
      close();
      all.push(item);
    } else {
      close();
      run = { category: item.category, texts: [item.text] };
    }
  }
  close();
  return all;
}
