// What the program prints, and what there is to say about the run. As much of it is kept as can be read.
import { Emitter } from "../base/emitter.js";
import { nextFrame } from "../base/frames.js";
import { make, number, visible } from "../../shared/elements.js";

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
 * @typedef {{ category: Category, text: string } | { element: HTMLElement }} Item
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
  /** The number of the first byte of each line that the program has written. @type {WeakMap<Element, number>} */
  #offsets = new WeakMap();
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
    this.#open = this.#chosen = undefined;
    this.#dropped.hidden = true;
    this.#log.replaceChildren(this.#dropped);
  }

  /** Adds text. @param {Category} category @param {string} text */
  append(category, text) {
    this.#items.push({ category, text });
    this.shown();
  }

  /** Adds something that is said about the run. @param {HTMLElement} element */
  say(element) {
    this.#items.push({ element });
    this.shown();
  }

  /**
   * Shows what was printed later than a stop in the past as not yet printed.
   * @param {number} written How many bytes had been written by then.
   */
  async showPast(written) {
    await this.shown();
    for (const line of this.#log.querySelectorAll(".line")) {
      const offset = this.#offsets.get(line);
      if (offset !== undefined) line.classList.toggle("later", offset >= written);
    }
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
    const isAtEnd = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 40;
    for (const item of items) {
      if ("element" in item) this.#addElement(item.element);
      else this.#addText(item.category, item.text);
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

  /** @param {Category} category @param {string} text */
  #addText(category, text) {
    const lines = text.split(/(?<=\n)/);
    const skipped = lines.length - MOST_LINES;
    if (skipped > 0) {
      // They would be dropped at once.
      const gone = lines.splice(0, skipped).join("");
      if (isPrinted(category)) this.#written += size(gone);
      this.#lost += skipped;
      this.#open = undefined;
    }
    for (const line of lines) this.#addLine(category, line);
  }

  /** @param {Category} category @param {string} text A line, or a part of one. */
  #addLine(category, text) {
    const open = this.#open;
    const piece = this.#pieceFor(open);
    let line = open?.classList.contains(category) ? open : undefined;
    if (!line) {
      line = make("span", `line ${category}`);
      if (category === "evaluated") line.title = "Written by what you have evaluated";
      if (isPrinted(category)) this.#offsets.set(line, this.#written);
      piece.append(line);
      if (!open) this.#lines++;
    }
    this.#extend(line, text);
    if (isPrinted(category)) this.#written += size(text);
    this.#open = text.endsWith("\n") ? undefined : line;
  }

  /** Adds text to a line; of a long one, the end is kept. @param {HTMLElement} line @param {string} text */
  #extend(line, text) {
    const length = line.textContent?.length ?? 0;
    this.#text += text.length;
    if (length + text.length <= MOST_LINE) return line.append(visible(text));
    const whole = line.textContent + visible(text.slice(-MOST_LINE));
    const rest = "…" + whole.slice(-MOST_LINE / 2);
    line.replaceChildren(rest);
    this.#text -= length + text.length - rest.length;
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
      this.#text -= first.textContent?.length ?? 0;
      this.#lines -= lines;
      this.#lost += lines;
      first.remove();
    }
    this.#dropped.hidden = this.#lost === 0;
    if (this.#lost) this.#dropped.textContent = `${number(this.#lost)} earlier lines are not shown.`;
  }

  /** @param {EventTarget | null} target */
  #ask(target) {
    const line = target instanceof Element ? target.closest(".line") : null;
    const offset = line ? this.#offsets.get(line) : undefined;
    if (this.canAsk && offset !== undefined) this.emit("printer", offset);
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

/** Neighbours of one category as one. @param {Item[]} items */
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
    } else if (run?.category === item.category) run.texts.push(item.text);
    else {
      close();
      run = { category: item.category, texts: [item.text] };
    }
  }
  close();
  return all;
}
